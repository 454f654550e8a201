// The client's half, driven against the real server over the protocol, with what Visual Studio Code says of itself.
"use strict";

const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const { pathToFileURL } = require("node:url");
const rpc = require("vscode-jsonrpc/node");
const { serverCommand, serverSettings } = require("../server");

const LOOP = `import torch
from torch import nn, optim

net = nn.Linear(2, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
`;
// What vscode-languageclient says, as far as the server asks.
const CAPABILITIES = {
  general: { positionEncodings: ["utf-16"] },
  window: { showMessage: {} },
  workspace: {
    workspaceEdit: { documentChanges: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
    diagnostics: { refreshSupport: true },
  },
  textDocument: {
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: true },
    publishDiagnostics: { relatedInformation: true, versionSupport: true },
    codeAction: {
      dataSupport: true,
      resolveSupport: { properties: ["edit"] },
      codeActionLiteralSupport: { codeActionKind: { valueSet: ["", "quickfix", "source", "source.fixAll"] } },
    },
  },
};

/** A session with a server that was started as the extension starts it. */
async function session(t, settings = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "looplint-"));
  const command = JSON.parse(process.env.LOOPLINT_COMMAND ?? '["looplint"]');
  const executable = serverCommand({ command, trusted: true });
  const child = spawn(executable.command, executable.args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin));
  const sent = new Map();
  connection.onNotification("textDocument/publishDiagnostics", (params) => sent.set(params.uri, params.diagnostics));
  connection.onRequest("client/registerCapability", () => null);
  connection.onRequest("workspace/diagnostic/refresh", () => null);
  connection.listen();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  t.after(async () => {
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
    assert.equal(await ended, 0);
    connection.dispose();
    fs.rmSync(folder, { recursive: true });
  });
  const { capabilities } = await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: CAPABILITIES,
    initializationOptions: serverSettings((name) => settings[name]),
  });
  await connection.sendNotification("initialized", {});
  const uri = pathToFileURL(path.join(folder, "train.py")).href;
  await connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "python", version: 1, text: LOOP } });
  const pull = () => connection.sendRequest("textDocument/diagnostic", { textDocument: { uri }, identifier: "looplint" });
  return { capabilities, connection, folder, pull, sent, uri };
}

/** A text with edits of one document made in it. */
function edited(text, edits) {
  const starts = [0];
  for (const line of text.split("\n")) starts.push(starts.at(-1) + line.length + 1);
  const at = (place) => starts[place.line] + place.character;
  const last = [...edits].sort((a, b) => at(b.range.start) - at(a.range.start));
  return last.reduce((so, edit) => so.slice(0, at(edit.range.start)) + edit.newText + so.slice(at(edit.range.end)), text);
}

test("a finding is answered, explained and repaired", async (t) => {
  const { capabilities, connection, pull, sent, uri } = await session(t);
  assert.equal(capabilities.diagnosticProvider.interFileDependencies, true);
  const { items } = await pull();
  assert.deepEqual(items.map((item) => [item.code, item.range.start.line]), [["LL102", 7]]);
  assert.equal(items[0].codeDescription.href, "https://looplint.readthedocs.io/rules/missing-zero-grad/");
  assert.equal(sent.has(uri), false, "what is asked for is not sent as well");
  const ask = (context) => connection.sendRequest("textDocument/codeAction", { textDocument: { uri }, range: items[0].range, context });
  const [repair, silence] = await ask({ diagnostics: items, only: ["quickfix"] });
  assert.equal(repair.isPreferred, true);
  const text = edited(LOOP, repair.edit.documentChanges[0].edits);
  assert.match(text, /opt\.zero_grad\(\)/);
  assert.match(edited(LOOP, silence.edit.documentChanges[0].edits), /# looplint: ignore\[LL102\]/);
  const all = (await ask({ diagnostics: [] })).find((action) => action.kind === "source.fixAll.looplint");
  const chosen = await connection.sendRequest("codeAction/resolve", all);
  assert.equal(edited(LOOP, chosen.edit.documentChanges[0].edits), text);
  const change = { textDocument: { uri, version: 2 }, contentChanges: [{ text }] };
  await connection.sendNotification("textDocument/didChange", change);
  assert.deepEqual((await pull()).items, []);
});

test("settings of the editor reach the server", async (t) => {
  const { pull } = await session(t, { ignore: ["LL102"], select: null, allowRules: false });
  assert.deepEqual((await pull()).items, []);
});

test("cells of a notebook are one program", async (t) => {
  const { connection, folder, sent } = await session(t);
  const cut = LOOP.indexOf("for x");
  const cells = [LOOP.slice(0, cut), LOOP.slice(cut)];
  const uris = cells.map((_, number) => `vscode-notebook-cell:${folder}/train.ipynb#${number}`);
  await connection.sendNotification("notebookDocument/didOpen", {
    notebookDocument: {
      uri: pathToFileURL(path.join(folder, "train.ipynb")).href,
      notebookType: "jupyter-notebook",
      version: 1,
      cells: uris.map((document) => ({ kind: 2, document })),
    },
    cellTextDocuments: cells.map((text, number) => ({ uri: uris[number], languageId: "python", version: 1, text })),
  });
  await connection.sendRequest("textDocument/hover", { textDocument: { uri: uris[1] }, position: { line: 0, character: 0 } });
  assert.deepEqual(sent.get(uris[1]).map((item) => item.code), ["LL102"]);
});
