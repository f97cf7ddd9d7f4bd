import type { Format } from '../arguments/shared-options.ts'
import { misused } from '../failures.ts'
import { writeWhole } from '../whole-file.ts'
import { printableLines } from './printable.ts'

/** How an answer is wanted. */
export interface Wish {
  readonly format: Format
  /** JMESPath */
  readonly query?: string | undefined
  /** a file instead of the standard output */
  readonly file?: string | undefined
  readonly columns: readonly string[]
}

const NARROWEST = 40

const jsonOf = (value: unknown): string => printableLines(JSON.stringify(value, undefined, 2))

async function yamlOf(value: unknown): Promise<string> {
  const { stringify } = await import('yaml')
  const text = stringify(value, { lineWidth: 0 }).trimEnd()
  return process.stdout.isTTY ? printableLines(text) : text
}

async function tableText(value: unknown, columns: readonly string[]): Promise<string> {
  const { tableOf } = await import('./table.ts')
  return tableOf(value, columns, Math.max(process.stdout.isTTY ? process.stdout.columns : 120, NARROWEST)).join('\n')
}

async function textOf(value: unknown, { format, columns }: Wish): Promise<string> {
  if (format === 'json') return jsonOf(value)
  if (format === 'yaml') return yamlOf(value)
  if (format === 'table') return tableText(value, columns)
  const { csvOf } = await import('./csv.ts')
  return csvOf(value)
}

/** The result of a JMESPath expression over an answer. */
async function selected(value: unknown, expression: string): Promise<unknown> {
  const { search } = await import('@jmespath-community/jmespath')
  try {
    return search(value as Parameters<typeof search>[0], expression)
  } catch (cause) {
    throw misused(`--query is no JMESPath expression: ${(cause as Error).message}.`, [], { cause })
  }
}

const write = (content: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => process.stdout.write(content, (error) => (error ? reject(error) : resolve())))

/** Bytes and texts (CSV, PEM, metrics) are shown as they are. */
async function showRaw(content: string | Uint8Array, file: string | undefined): Promise<void> {
  if (file !== undefined) return writeWhole(file, content)
  if (typeof content === 'string') return write(process.stdout.isTTY ? printableLines(content) : content)
  if (process.stdout.isTTY) throw misused('The answer is bytes, which a terminal cannot show. Give --out file.')
  return write(content)
}

/** Shows an answer as it is wanted. */
export async function show(answer: unknown, wish: Wish): Promise<void> {
  if (answer instanceof Uint8Array || typeof answer === 'string') return showRaw(answer, wish.file)
  if (answer === undefined) return
  const value = wish.query === undefined ? answer : await selected(answer, wish.query)
  const text = `${await textOf(value, wish)}\n`
  if (wish.file === undefined) await write(text)
  else writeWhole(wish.file, text)
}
