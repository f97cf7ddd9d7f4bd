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
}

const NARROWEST = 40

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
export async function checkWish({ query, file }: Wish, type: string): Promise<void> {
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
