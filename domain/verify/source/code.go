package source

// checkCode rejects whatever lets a manifest run code during a build.
func checkCode(root table) error {
	file := quote(root.document.file)
	for _, scripts := range []table{root, root.table("workspace")} {
		if scripts.has("scripts") {
			return rejectf("%s has [%s]; scripts are not allowed, because they can run during a build. Remove the section.", file, scripts.key("scripts"))
		}
	}
	if root.has("cairo-plugin") || root.table("target").has("cairo-plugin") {
		return rejectf("%s defines a Cairo plugin; plugins and procedural macros are not allowed, because they run during a build. Remove the package.", file)
	}
	if root.table("package").has("re-export-cairo-plugins") {
		return rejectf("%s re-exports Cairo plugins; only the built-in ones are allowed. Remove re-export-cairo-plugins.", file)
	}
	tools := []table{root.table("tool"), root.table("workspace").table("tool")}
	for _, profile := range root.table("profile").names() {
		tools = append(tools, root.table("profile").table(profile).table("tool"))
	}
	for _, tool := range tools {
		if tool.has("scarb") {
			return rejectf("%s has [%s]; it lets Scarb load prebuilt plugins, which is not allowed. Remove the section.", file, tool.key("scarb"))
		}
		for _, name := range tool.names() {
			settings, _ := tool.keys[name].(map[string]any) // tools may write what they like
			if _, has := settings["scripts"]; has {
				return rejectf("%s has %s; scripts are not allowed. Remove them.", file, quote(tool.key(name)+".scripts"))
			}
		}
	}
	return nil
}
