// Which command is started, and what the extension hands to the client.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const { DOCUMENTS, SETTINGS, serverCommand, serverSettings } = require("../server");

test("the user's own command comes first, then the chosen environment, then the path", (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "looplint-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const interpreter = path.join(folder, "python");
  const platform = "linux";
  assert.deepEqual(serverCommand({ command: ["uvx", "looplint"], trusted: false, interpreter }), { command: "uvx", args: ["looplint", "server"] });
  assert.deepEqual(serverCommand({ command: [], trusted: true, interpreter, platform }), { command: "looplint", args: ["server"] });
  fs.writeFileSync(path.join(folder, "looplint"), "");
  const beside = { command: path.join(folder, "looplint"), args: ["server"] };
  assert.deepEqual(serverCommand({ command: [], trusted: true, interpreter, platform }), beside);
  assert.equal(serverCommand({ command: [], trusted: false, interpreter, platform }), undefined, "an environment may be the folder's");
});

test("what is not set is not sent", () => {
  const values = { select: null, ignore: ["LL1"], allowRules: false };
  assert.deepEqual(serverSettings((name) => values[name]), { ignore: ["LL1"], allowRules: false });
});

test("every setting that the server knows has a description, and what is executed is no folder's to say", () => {
  const { capabilities, contributes } = require("../package.json");
  const described = Object.keys(contributes.configuration.properties);
  for (const name of SETTINGS) assert.ok(described.includes(`looplint.${name}`), name);
  for (const name of capabilities.untrustedWorkspaces.restrictedConfigurations) assert.ok(described.includes(name), name);
});

/** The extension with an editor that is none: it keeps what it is told. */
function loaded(editor) {
  const clients = [];
  class LanguageClient {
    constructor(...given) {
      [this.id, this.name, this.executable, this.options] = given;
      this.state = 1;
      clients.push(this);
    }
    async start() {
      if (this.executable.command === "missing") throw new Error("ENOENT");
      this.state = 2;
    }
    async stop() {
      this.state = 1;
    }
  }
  const stubs = { vscode: editor, "vscode-languageclient/node": { LanguageClient, State: { Stopped: 1, Running: 2 } } };
  const load = Module._load;
  Module._load = (request, ...rest) => stubs[request] ?? load(request, ...rest);
  try {
    delete require.cache[require.resolve("../extension")];
    return { clients, extension: require("../extension") };
  } finally {
    Module._load = load;
  }
}

function editorWith(values) {
  const editor = {
    changed: undefined,
    errors: [],
    commands: { registered: {}, registerCommand: (name, run) => (editor.commands.registered[name] = run) },
    extensions: { getExtension: () => undefined },
    window: { showErrorMessage: async (words) => void editor.errors.push(words) },
    workspace: {
      isTrusted: true,
      getConfiguration: () => ({ get: (name, otherwise) => values[name] ?? otherwise }),
      onDidChangeConfiguration: (run) => (editor.changed = run),
      onDidGrantWorkspaceTrust: () => undefined,
    },
  };
  return editor;
}

test("the server is started with the settings, and anew when they change", async () => {
  const values = { ignore: ["LL1"] };
  const editor = editorWith(values);
  const { clients, extension } = loaded(editor);
  await extension.activate({ subscriptions: [] });
  assert.deepEqual(clients[0].executable, { command: "looplint", args: ["server"] });
  assert.deepEqual(clients[0].options, { documentSelector: DOCUMENTS, initializationOptions: { ignore: ["LL1"] } });
  await editor.changed({ affectsConfiguration: (name) => name === "looplint.trace.server" });
  assert.equal(clients.length, 1);
  values.ignore = ["LL2"];
  await Promise.all([editor.changed({ affectsConfiguration: (name) => name === "looplint.ignore" }), editor.commands.registered["looplint.restart"]()]);
  assert.deepEqual(clients.map((client) => client.state), [1, 1, 2]);
  assert.deepEqual(clients[2].options.initializationOptions, { ignore: ["LL2"] });
  await extension.deactivate();
  assert.equal(clients[2].state, 1);
});

test("a server that cannot be started is said, and one that is not wanted is none", async () => {
  const editor = editorWith({ command: ["missing"] });
  const { extension } = loaded(editor);
  await extension.activate({ subscriptions: [] });
  assert.match(editor.errors[0], /missing: ENOENT.*pip install "looplint\[server\]"/);
  const off = loaded(editorWith({ enable: false }));
  await off.extension.activate({ subscriptions: [] });
  assert.equal(off.clients.length, 0);
});
