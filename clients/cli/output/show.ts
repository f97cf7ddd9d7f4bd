import type { Format } from '../arguments/shared-options.ts'
import { Failure, misused } from '../failures.ts'
import { checkWritable, writeWhole } from '../whole-file.ts'
import { hasControls, printableLines } from './printable.ts'

/** The requested form of an answer. */
export interface Wish {
  readonly format: Format
  /** JMESPath */
  readonly query?: string | undefined
  /** a file instead of the standard output */
  readonly file?: string | undefined
  readonly columns: readonly string[]
  /** the columns of `--columns`, which the answer must have */
  readonly chosen?: readonly string[]
}

const NARROWEST = 40
const USUAL = 120

const jsonOf = (value: unknown): string => printableLines(JSON.stringify(value, undefined, 2))

async function yamlOf(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml')
  const document = new Document(value)
  visit(document, {
    Scalar: (_, scalar) => {
      // YAML interprets escapes only within double quotes.
      if (typeof scalar.value === 'string' && hasControls(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return printableLines(document.toString({ lineWidth: 0 }).trimEnd())
}

/** COLUMNS, the width of the terminal, or a usual one. */
function widthOfOutput(): number {
  const { COLUMNS: given = '' } = process.env
  const width = /^[1-9]\d{0,4}$/.test(given) ? Number(given) : process.stdout.isTTY ? process.stdout.columns : USUAL
  return Math.max(width, NARROWEST)
}

async function tableText(value: unknown, { columns, chosen }: Wish): Promise<string> {
  const { tableOf } = await import('./table.ts')
  return tableOf(value, { columns, chosen, width: widthOfOutput() }).join('\n')
}

/** @throws Error for a column that no row has */
async function checkColumns(value: unknown, chosen: readonly string[]): Promise<void> {
  const { namesIn, rowsOf } = await import('./flat-pairs.ts')
  const rows = rowsOf(value) ?? [value]
  const names = namesIn(rows)
  const wrong = chosen.find((column) => !names.includes(column))
  if (rows.length === 0 || wrong === undefined) return
  const { nearest } = await import('../arguments/suggest.ts')
  const meant = nearest(wrong, names)
  throw new Error(`nothing in it is called ${wrong}${meant === undefined ? '' : `; ${meant} is`}`)
}

async function textOf(value: unknown, wish: Wish): Promise<string> {
  const { format, chosen } = wish
  if (format === 'json') return jsonOf(value)
  if (format === 'yaml') return yamlOf(value)
  if (chosen !== undefined) await checkColumns(value, chosen)
  if (format === 'table') return tableText(value, wish)
  const { csvOf } = await import('./csv.ts')
  return csvOf(value, chosen)
}

const jmespath = async () => import('@jmespath-community/jmespath')

/** The result of a JMESPath expression over an answer. */
async function selected(value: unknown, expression: string): Promise<unknown> {
  const { search } = await jmespath()
  return search(value as Parameters<typeof search>[0], expression)
}

async function checkExpression(expression: string): Promise<void> {
  const { compile } = await jmespath()
  try {
    compile(expression)
  } catch (cause) {
    throw misused(`--query is no JMESPath expression: ${(cause as Error).message}.`, [], { cause })
  }
}

const BYTES = 'The answer is bytes, which a terminal cannot show. Give --out file.'

function checkFile(file: string): void {
  try {
    checkWritable(file)
  } catch (cause) {
    throw misused(`The file ${file} of --out cannot be written.`, [], { cause })
  }
}

/**
 * Refuses, before any call, an expression or file that the answer cannot have: a call may not return its answer twice.
 * @param type media type of the answer
 */
export async function checkWish({ query, file, format, chosen }: Wish, type: string): Promise<void> {
  if (chosen !== undefined && (format === 'json' || format === 'yaml'))
    throw misused(`--columns is for tables and csv; --query selects fields in ${format}.`)
  if (chosen?.includes('') === true) throw misused('--columns takes names with commas between them.')
  if (query !== undefined) await checkExpression(query)
  if (file !== undefined) checkFile(file)
  else if (process.stdout.isTTY && !/json|^text\//.test(type)) throw misused(BYTES)
}

async function write(content: string | Uint8Array): Promise<void> {
  if (typeof content !== 'string' && process.stdout.isTTY) throw new Failure('local', BYTES)
  await new Promise<void>((resolve, reject) =>
    process.stdout.write(content, (error) => (error ? reject(error) : resolve())),
  )
}

/** The content to show. Bytes and texts (CSV, PEM, metrics) are unchanged. */
async function contentOf(answer: unknown, wish: Wish): Promise<string | Uint8Array> {
  if (answer instanceof Uint8Array) return answer
  if (typeof answer === 'string')
    return process.stdout.isTTY && wish.file === undefined ? printableLines(answer) : answer
  const value = wish.query === undefined ? answer : await selected(answer, wish.query)
  return `${await textOf(value, wish)}\n`
}

/**
 * Shows an answer in the requested form. If that fails, shows it whole, since the call may not return it twice. @throws
 * Failure that states why
 */
export async function show(answer: unknown, wish: Wish): Promise<void> {
  if (answer === undefined) return
  let content
  try {
    content = await contentOf(answer, wish)
    if (wish.file !== undefined) return writeWhole(wish.file, content)
  } catch (cause) {
    await write(await contentOf(answer, { format: 'json', columns: [] }))
    throw new Failure('local', `The answer is shown whole: ${(cause as Error).message}.`, [], { cause })
  }
  await write(content)
}
