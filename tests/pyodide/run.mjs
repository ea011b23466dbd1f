// Runs Python code under Pyodide, with folders and wheels of this machine, and no network.
// Reads {"pyodide": folder of the npm package, "folders": {name: path}, "wheels": [paths],
// "code": [expressions or statements]} as JSON; writes a list of {"value": …} or {"error": …}.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

globalThis.fetch = () => {
  throw new Error("a test must not use the network");
};

const asked = JSON.parse(fs.readFileSync(0, "utf8"));
const { loadPyodide } = await import(pathToFileURL(path.join(asked.pyodide, "pyodide.mjs")));
const pyodide = await loadPyodide({ indexURL: asked.pyodide, stdout: () => {} });
for (const wheel of asked.wheels) {
  pyodide.unpackArchive(new Uint8Array(fs.readFileSync(wheel)), "wheel");
}
for (const [name, folder] of Object.entries(asked.folders)) {
  pyodide.FS.mkdirTree(`/given/${name}`);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: folder }, `/given/${name}`);
}
pyodide.globals.set("asked", JSON.stringify(asked.code));
const answered = pyodide.runPython(`
import json, sys

sys.dont_write_bytecode = True
sys.path[:0] = [f"/given/{name}" for name in ${JSON.stringify(Object.keys(asked.folders))}]
names = {"__name__": "asked"}


def answer(code):
    try:
        try:
            compiled = compile(code, "asked", "eval")
        except SyntaxError:
            exec(code, names)
            return {"value": None}
        return {"value": eval(compiled, names)}
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}


json.dumps([answer(code) for code in json.loads(asked)])
`);
process.stdout.write(answered);
