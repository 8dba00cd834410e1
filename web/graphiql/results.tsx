import { useGraphiQL } from '@graphiql/react';
import { useMemo, useState } from 'react';
import type { Answer, Ask } from './ask';
import type { BudgetWatch } from './budget';
import { CostLine } from './costline';
import { useEstimate } from './estimate';
import { useEditedOperation } from './operation';
import { tablesIn } from './tables';
import { TableTools } from './tabletools';

/** What stands below the result: costs, and what can be done with its lists. */
export function Results({ ask, watch }: { ask: Ask; watch: BudgetWatch }) {
  const estimate = useEstimate(ask, useEditedOperation().operation);
  const response = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.response);
  const answer = useMemo(() => readAnswer(response), [response]);
  const tables = useMemo(() => tablesIn(answer?.data), [answer]);
  const [name, setName] = useState('');
  const [drawn, setDrawn] = useState(false);
  const table = tables.find((one) => one.name === name) ?? tables[0];
  return (
    <>
      {table && (
        <TableTools table={table} names={tables.map((one) => one.name)} onChoose={setName} drawn={drawn} onDraw={setDrawn} />
      )}
      <CostLine estimate={estimate} answer={answer} watch={watch} />
    </>
  );
}

function readAnswer(response?: string | null): Answer | undefined {
  try {
    return response ? JSON.parse(response) : undefined;
  } catch {
    return undefined;
  }
}
