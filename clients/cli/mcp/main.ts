import { randomUUID } from 'node:crypto'
import type { Shared } from '../arguments/parse.ts'
import { curlOf } from '../dry-run.ts'
import { misused } from '../failures.ts'
import { groupOf, heads } from '../groups-file.ts'
import { checkValues } from '../names.ts'
import { callOf, initOf, methodOf, type Call } from '../operate.ts'
import { MCP } from '../own-commands.ts'
import { printableLines } from '../output/printable.ts'
import { isSecretField } from '../secret-fields.ts'
import { connected } from '../session/connect.ts'
import { argumentsOf } from '../session/own-arguments.ts'
import { failureOf, told } from '../told.ts'
import { serveLines, type ToolResult } from './protocol.ts'
import { CONFIRM, isReading, parsedOf, toolsOf, type CommandTool } from './tools.ts'

declare const KEYMGR_VERSION: string

type Fields = Readonly<Record<string, unknown>>

const HIDDEN = '*** (a secret; the command line shows it)'

/** An answer without the values of secret fields: it becomes part of a conversation. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecretField(name) && typeof inner === 'string' ? HIDDEN : withoutSecrets(inner),
    ]),
  )
}

function textOf(answer: unknown): string {
  if (answer === undefined) return 'Done.'
  return printableLines(typeof answer === 'string' ? answer : JSON.stringify(withoutSecrets(answer), undefined, 1))
}

/** Changes that were shown, by the code that confirms them. */
class Shown {
  readonly #calls = new Map<string, string>()

  /** Remembers a change. @returns the code */
  add(call: Call): string {
    const code = randomUUID()
    this.#calls.set(code, curlOf(call))
    return code
  }

  /** Whether the code was returned for this very call. It confirms one call. */
  has(code: unknown, call: Call): boolean {
    if (typeof code !== 'string' || this.#calls.get(code) !== curlOf(call)) return false
    return this.#calls.delete(code)
  }
}

interface Serving {
  readonly shared: Shared
  readonly tools: readonly CommandTool[]
  readonly shown: Shown
}

async function resultOf({ shared, shown }: Serving, { row, tool }: CommandTool, given: Fields): Promise<string> {
  const { values, parsed } = parsedOf(row, given)
  checkValues(tool.name, row, values)
  return connected(shared, async (keymgr) => {
    const call = await callOf(keymgr, row, values, parsed)
    if (!isReading(row) && !shown.has(given[CONFIRM], call))
      return (
        `Nothing was changed. The call would be:\n${curlOf(call)}\n` +
        `To make it, call the tool again with the same arguments and ${CONFIRM}: ${shown.add(call)}`
      )
    return textOf((await keymgr.request(methodOf(row), row.path, initOf(call))).body)
  })
}

async function called(serving: Serving, name: string, given: Fields): Promise<ToolResult> {
  const one = serving.tools.find(({ tool }) => tool.name === name)
  if (one === undefined) return { text: 'There is no such tool.', isError: true }
  try {
    return { text: await resultOf(serving, one, given), isError: false }
  } catch (error) {
    return { text: told(failureOf(error, one.row)), isError: true }
  }
}

const INSTRUCTIONS =
  'keymgr manages keys in its own vault and in clouds, whose names here are neutral. Lists have skip, limit and filters. ' +
  'A tool that changes something first returns the call and a code, and makes the call when it is called with the code: ' +
  'show the call to the user before. Secrets are never shown and never accepted.'

/** `keymgr mcp [words] [--allow-changes]` */
export async function main(args: readonly string[]): Promise<number> {
  const given = await argumentsOf('mcp', MCP, args)
  if (given === undefined) return 0
  if (process.stdin.isTTY)
    throw misused('keymgr mcp serves a program over standard input and output; a terminal is none.')
  const words = given.words.length > 0 ? given.words : heads().map(({ word }) => word)
  const allowsChanges = [...given.values.values()].includes(true)
  const tools = toolsOf(
    words.map((word) => groupOf(word)),
    allowsChanges,
  )
  const serving: Serving = { shared: given.shared, tools, shown: new Shown() }
  await serveLines({
    version: KEYMGR_VERSION,
    instructions: INSTRUCTIONS,
    tools: tools.map(({ tool }) => tool),
    call: (name, fields) => called(serving, name, fields),
  })
  return 0
}
