// How the server is started, and what it is told: all that needs no editor.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

// The settings that the server knows; those that are not set are not sent.
const SETTINGS = ["select", "extendSelect", "ignore", "minSeverity", "configuration", "allowRules"];
// What the server lints: files, documents that were never saved, and the cells of notebooks.
const DOCUMENTS = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
  { scheme: "file", language: "markdown" },
  { notebook: "jupyter-notebook", language: "python" },
];

/**
 * The command that starts the server.
 *
 * @param {{command: string[], trusted: boolean, interpreter?: string, platform?: string}} known The user's own command; whether the folder is trusted; the
 *   interpreter that is chosen in the Python extension.
 * @returns {{command: string, args: string[]} | undefined} Nothing where starting one would execute what an untrusted folder brings.
 */
function serverCommand({ command, trusted, interpreter, platform = process.platform }) {
  if (command.length > 0) return { command: command[0], args: [...command.slice(1), "server"] };
  // An environment in the folder is code of the folder; so may be what a path relative to it leads to.
  if (!trusted) return undefined;
  if (interpreter) {
    const beside = path.join(path.dirname(interpreter), platform === "win32" ? "looplint.exe" : "looplint");
    if (fs.existsSync(beside)) return { command: beside, args: ["server"] };
  }
  return { command: "looplint", args: ["server"] };
}

/**
 * What the server is told of the user's settings.
 *
 * @param {(name: string) => unknown} setting The value of a setting.
 */
function serverSettings(setting) {
  const said = SETTINGS.map((name) => [name, setting(name)]);
  return Object.fromEntries(said.filter(([, value]) => value !== null && value !== undefined));
}

module.exports = { DOCUMENTS, SETTINGS, serverCommand, serverSettings };
