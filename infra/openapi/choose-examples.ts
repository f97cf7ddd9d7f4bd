/**
 * `npm run examples -- <folder>` chooses examples for the schemas of the API description from calls that tests recorded
 * (`KEYMGR_RECORD_CALLS=<folder> npm test`), and writes them to `infra/openapi/examples.json`. A schema keeps its present
 * example as long as it fits; remove it from the file to have a new one chosen.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import Ajv from 'ajv'
import { fieldsOf, isObject, jsonOf } from '../../shared/base/json.ts'
import { openApiDocument } from '../openapi.ts'
import { EXAMPLES, type Examples } from './examples.ts'
import { HIDDEN, HIDDEN_BASE64, shown } from './shown-example.ts'
import type { Json } from './schemas.ts'

const FILE = fileURLToPath(new URL('examples.json', import.meta.url))
/** Above this length an example is no clearer to a reader. */
const LONG = 1_500

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly status: number
  readonly answer: string
}

interface Operation {
  readonly address: RegExp
  readonly method: string
  /** Number of segments that are not parameters: of two operations that match a path, the one with more applies. */
  readonly fixed: number
  readonly request?: string | undefined
  readonly answers: Readonly<Record<string, string | undefined>>
}

const schemaNameIn = (document: Json, holder: unknown): string | undefined => {
  const { $ref } = fieldsOf(holder)
  if (typeof $ref === 'string') {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    return schemaNameIn(document, fieldsOf(fieldsOf(document.components).responses)[name])
  }
  const [schema] = Object.values(fieldsOf(fieldsOf(holder).content)).map((media) => fieldsOf(media).schema)
  const reference = fieldsOf(schema).$ref
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : undefined
}

const operationsOf = (document: Json): Operation[] =>
  Object.entries(fieldsOf(document.paths)).flatMap(([address, item]) =>
    Object.entries(fieldsOf(item)).flatMap(([method, operation]) => {
      const { requestBody, responses } = fieldsOf(operation)
      if (!isObject(responses)) return []
      const pattern = address.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')
      return {
        address: new RegExp(`^(?:/api)?${pattern}/?$`),
        method: method.toUpperCase(),
        fixed: address.split('/').filter((segment) => !segment.startsWith('{')).length,
        request: schemaNameIn(document, requestBody),
        answers: Object.fromEntries(
          Object.entries(responses).map(([status, answer]) => [status, schemaNameIn(document, answer)]),
        ),
      }
    }),
  )

const operationOf = (operations: readonly Operation[], { method, path: asked }: Call): Operation | undefined =>
  operations
    .filter((each) => each.method === method && each.address.test(asked))
    .sort((one, other) => other.fixed - one.fixed)[0]

/** Every member of a value that is neither object nor list, at any depth. */
const leavesIn = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesIn) : [value]

/** With more members, a request is too long to try, and an answer is no clearer. */
const MEMBERS_MOST = { request: 5, answer: 60 }
type Kind = keyof typeof MEMBERS_MOST

const isHidden = (leaf: unknown): boolean => leaf === HIDDEN || leaf === HIDDEN_BASE64
/** Names that only tests use. */
const isNonsense = (leaf: unknown): boolean =>
  typeof leaf === 'string' && (leaf.length <= 2 || /[^\n\x20-\x7e]/.test(leaf))

/** A score of how well a value explains its schema. */
function worthOf(value: unknown, kind: Kind): number {
  const leaves = leavesIn(value)
  const [hidden, nonsense] = [isHidden, isNonsense].map((is) => leaves.filter(is).length)
  return Math.min(leaves.length, MEMBERS_MOST[kind]) - 3 * (hidden ?? 0) - 2 * (nonsense ?? 0)
}

/** The better example explains more, or as much with fewer words. */
function isBetter(one: unknown, other: unknown, kind: Kind): boolean {
  const [length = 0, otherLength = 0] = [one, other].map((value) => JSON.stringify(value).length)
  if (length > LONG || otherLength > LONG) return length < otherLength
  const more = worthOf(one, kind) - worthOf(other, kind)
  return more > 0 || (more === 0 && length < otherLength)
}

function* callsIn(folder: string): Generator<Call> {
  for (const name of readdirSync(folder).sort())
    for (const line of readFileSync(path.join(folder, name), 'utf8').split('\n'))
      if (line !== '') yield JSON.parse(line) as Call
}

/** Checks whether a value matches the schema of a name. */
function checker({ components }: Json): (name: string, value: unknown) => boolean {
  const ajv = new Ajv({ unknownFormats: 'ignore', logger: false })
  ajv.addSchema({ $id: 'document', components })
  return (name, value) => ajv.validate({ $ref: `document#/components/schemas/${name}` }, value) === true
}

function choose(document: Json, folder: string): Examples {
  const operations = operationsOf(document)
  const fits = checker(document)
  const kept = Object.fromEntries(Object.entries(EXAMPLES).filter(([name, value]) => fits(name, value)))
  const chosen: Record<string, unknown> = {}
  const offer = (kind: Kind, name: string | undefined, text: string | undefined): void => {
    if (name === undefined || name in kept || name.startsWith('PageOf') || text === undefined) return
    const value = shown(jsonOf(text))
    if (value === undefined || (name in chosen && !isBetter(value, chosen[name], kind))) return
    if (fits(name, value)) chosen[name] = value
  }
  for (const call of callsIn(folder)) {
    const operation = operationOf(operations, call)
    const answer = operation?.answers[call.status] ?? (call.status < 400 ? undefined : operation?.answers.default)
    if (call.status < 300) offer('request', operation?.request, call.body)
    offer('answer', answer, call.answer)
    const { resources } = fieldsOf(jsonOf(call.answer))
    if (answer?.startsWith('PageOf') && Array.isArray(resources))
      for (const entry of resources) offer('answer', entryOf(document, answer), JSON.stringify(entry))
  }
  return chosen
}

/** The schema of the entries of a page. */
function entryOf(document: Json, page: string): string | undefined {
  const schema = JSON.stringify(fieldsOf(fieldsOf(document.components).schemas)[page])
  return /"items":\{"\$ref":"#\/components\/schemas\/(\w+)"/.exec(schema)?.[1]
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Usage: npm run examples -- <folder of recorded calls>')
const examples = { ...EXAMPLES, ...choose(await openApiDocument(), folder) }
const sorted = Object.fromEntries(Object.entries(examples).sort(([one], [other]) => (one < other ? -1 : 1)))
writeFileSync(FILE, `${JSON.stringify(sorted, undefined, 2)}\n`)
console.log(`${Object.keys(sorted).length} examples`)
