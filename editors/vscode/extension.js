// looplint in Visual Studio Code: starts the server, and anew where what it was started with has changed.
"use strict";

const vscode = require("vscode");
const { LanguageClient, State } = require("vscode-languageclient/node");
const { DOCUMENTS, SETTINGS, serverCommand, serverSettings } = require("./server");

/** @type {LanguageClient | undefined} */
let client;
// Starts and stops follow each other, however quickly they are asked for.
let last = Promise.resolve();

async function activate(context) {
  const restart = () => (last = last.then(start, start));
  context.subscriptions.push(
    vscode.commands.registerCommand("looplint.restart", restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (["enable", "command", ...SETTINGS].some((name) => event.affectsConfiguration(`looplint.${name}`))) return restart();
    }),
  );
  const environments = await pythonEnvironments();
  if (environments) context.subscriptions.push(environments.onDidChangeActiveEnvironmentPath(restart));
  await restart();
}

async function deactivate() {
  await last;
  await stop();
}

async function start() {
  await stop();
  const settings = vscode.workspace.getConfiguration("looplint");
  if (!settings.get("enable", true)) return;
  const environments = await pythonEnvironments();
  const interpreter = environments && (await environments.resolveEnvironment(environments.getActiveEnvironmentPath()));
  const executable = serverCommand({
    command: settings.get("command", []),
    trusted: vscode.workspace.isTrusted,
    interpreter: interpreter?.executable?.uri?.fsPath,
  });
  if (!executable) return;
  client = new LanguageClient("looplint", "looplint", executable, {
    documentSelector: DOCUMENTS,
    initializationOptions: serverSettings((name) => settings.get(name)),
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const words = `looplint was not started (${executable.command}: ${error.message}). Install it with: pip install "looplint[server]"`;
    // Not waited for: the message may stay as long as the user likes.
    void vscode.window.showErrorMessage(words, "Settings").then((chosen) => {
      if (chosen) return vscode.commands.executeCommand("workbench.action.openSettings", "looplint.command");
    });
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old?.state === State.Running) await old.stop();
}

/** What the Python extension knows of environments, where it is installed. */
async function pythonEnvironments() {
  const extension = vscode.extensions.getExtension("ms-python.python");
  if (!extension) return undefined;
  const api = extension.isActive ? extension.exports : await extension.activate();
  return api?.environments;
}

module.exports = { activate, deactivate };
