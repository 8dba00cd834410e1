package economy

// episode is an action in one block that repeats every given number of blocks.
type episode struct {
	at    uint64
	every uint64 // zero means once
	act   func(*turn)
}

func (e episode) due(number uint64) bool {
	if e.every == 0 || number < e.at {
		return number == e.at
	}
	return (number-e.at)%e.every == 0
}

// episodes is the timetable.
var episodes = []episode{
	{1, 0, (*turn).openBridges},
	{3, 0, (*turn).declareClasses},
	{4, 0, (*turn).deployTokens},
	{5, 0, (*turn).deployOthers},
	{6, 0, (*turn).configurePool},
	{7, 0, (*turn).openExchanges},
	{8, 0, (*turn).addLiquidity},
	{11, 40, (*turn).mintAndBurn},
	{12, 45, (*turn).strangeEvents},
	{13, 45, (*turn).oddEvents},
	{14, 90, (*turn).longCalldata},
	{16, 100, (*turn).thousandEvents},
	{18, 60, (*turn).upgradeInsideBlock},
	{20, 50, (*turn).repeatMessages},
	{22, 35, (*turn).failures},
	{24, 12, (*turn).registerViewingKey},
	{25, 6, (*turn).poolDeposit},
	{27, 7, (*turn).poolWithdrawal},
	{30, 40, (*turn).withdrawSeed},
	{32, 30, (*turn).openNote},
	{44, 0, (*turn).declareSecondPool},
	{46, 0, (*turn).upgradePool},
	{48, 80, (*turn).blockDepositor},
	{52, 70, (*turn).upgradeForthAndBack},
	{54, 70, (*turn).deployAndUpgrade},
	{56, 30, (*turn).poolInvocation},
	{58, 30, (*turn).approvals},
	{60, 40, (*turn).liquidity},
	{62, 25, (*turn).oldInvokes},
	{64, 0, (*turn).declareProxies},
	{65, 0, (*turn).deployProxies},
	{66, 4, (*turn).useProxies},
	{71, 0, (*turn).declareSecondImplementations},
	{72, 0, (*turn).upgradeProxies},
	{73, 60, (*turn).rareFields},
	{80, 0, (*turn).replaceProxy},
	{1, 0, (*turn).fundPredeployed},
}
