import { createInterface } from 'node:readline'

/** Versions of the Model Context Protocol that are spoken here, the newest first; all have the same tools. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const METHOD_NOT_FOUND = -32_601
const INVALID_PARAMS = -32_602
const INTERNAL_ERROR = -32_603

/** A tool, as a client sees it. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: object
  readonly annotations: object
}

/** The result of a tool: a text, and whether it reports a failure. */
export interface ToolResult {
  readonly text: string
  readonly isError: boolean
}

export interface Served {
  readonly version: string
  readonly instructions: string
  readonly tools: readonly Tool[]
  readonly call: (name: string, given: Fields) => Promise<ToolResult>
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A refusal of a request. */
class RpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

function initialized({ version, instructions }: Served, { protocolVersion }: Fields): object {
  return {
    protocolVersion: VERSIONS.find((each) => each === protocolVersion) ?? VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'keymgr', version },
    instructions,
  }
}

async function called({ tools, call }: Served, { name, arguments: given = {} }: Fields): Promise<object> {
  const tool = tools.find((each) => each.name === name)
  if (tool === undefined) throw new RpcError(INVALID_PARAMS, 'There is no such tool.')
  if (!isFields(given)) throw new RpcError(INVALID_PARAMS, 'arguments is an object.')
  const { text, isError } = await call(tool.name, given)
  return { content: [{ type: 'text', text }], isError }
}

function resultOf(served: Served, method: string, params: Fields): object | Promise<object> {
  if (method === 'initialize') return initialized(served, params)
  if (method === 'ping') return {}
  if (method === 'tools/list') return { tools: served.tools }
  if (method === 'tools/call') return called(served, params)
  throw new RpcError(METHOD_NOT_FOUND, 'There is no such method.')
}

function messageIn(line: string): Fields {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    throw new RpcError(PARSE_ERROR, 'The line is not JSON.')
  }
  if (!isFields(message)) throw new RpcError(INVALID_REQUEST, 'The line is not a request.')
  return message
}

/** The answer of a line; `undefined` for notifications and answers of the client. */
async function answerOf(served: Served, line: string): Promise<object | undefined> {
  let id: unknown = null
  try {
    const message = messageIn(line)
    if (message.id === undefined || message.id === null) return undefined
    id = message.id
    const { method, params = {} } = message
    if (method === undefined) return undefined
    if (typeof method !== 'string' || !isFields(params)) throw new RpcError(INVALID_REQUEST, 'This is not a request.')
    return { jsonrpc: '2.0', id, result: await resultOf(served, method, params) }
  } catch (error) {
    const { code, message } = error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, 'keymgr has a fault.')
    return { jsonrpc: '2.0', id, error: { code, message } }
  }
}

/** Serves a client over standard input and output, a message per line, until the input ends. */
export async function serveLines(served: Served): Promise<void> {
  const open = new Set<Promise<void>>()
  const answer = async (line: string): Promise<void> => {
    const found = await answerOf(served, line)
    if (found !== undefined) process.stdout.write(`${JSON.stringify(found)}\n`)
  }
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() === '') continue
    const one = answer(line).finally(() => open.delete(one))
    open.add(one)
  }
  await Promise.all(open)
}
