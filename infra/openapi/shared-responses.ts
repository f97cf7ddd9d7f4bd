import { fieldsOf } from '../../shared/base/json.ts'
import type { Json } from './schemas.ts'
import { pascal } from './words.ts'

type Paths = Record<string, Json>

const isOperation = (one: unknown): one is Json => typeof one === 'object' && one !== null && 'responses' in one

/** Every operation of a description. */
const operationsIn = (paths: Paths): Json[] =>
  Object.values(paths).flatMap((item) => Object.values(item).filter((one): one is Json => isOperation(one)))

/** Suffixes that the status of an answer adds to the name of its body. */
const SUFFIXES: Readonly<Record<string, string>> = { Created: 'Created', Accepted: 'Accepted' }

/**
 * The name of an answer: the name of its body with a suffix for its status. Without a body, the first words of its
 * description.
 */
function nameOf({ content, description }: Json): string {
  const said = String(description)
  const [body] = Object.entries(fieldsOf(content))
  if (body === undefined) return pascal(said.replace(/;.*/, ''))
  const [media, value] = body
  const { $ref } = fieldsOf(fieldsOf(value).schema)
  const name = typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : pascal(media)
  return name + (SUFFIXES[said] ?? '')
}

/** Replaces answers that occur in several operations by references; returns the answers by name. */
export function sharedResponses(paths: Paths): Json {
  const times = new Map<string, number>()
  const answersOf = ({ responses }: Json): [string, Json][] =>
    Object.entries(fieldsOf(responses)).map(([status, answer]) => [status, fieldsOf(answer)])
  for (const operation of operationsIn(paths))
    for (const text of new Set(answersOf(operation).map(([, answer]) => JSON.stringify(answer))))
      times.set(text, (times.get(text) ?? 0) + 1)
  const shared: Json = {}
  const reference = (answer: Json): Json => {
    const text = JSON.stringify(answer)
    if ('$ref' in answer || (times.get(text) ?? 0) < 2) return answer
    const name = nameOf(answer)
    if (name in shared && JSON.stringify(shared[name]) !== text)
      throw new Error(`Another response is named ${name} already`)
    shared[name] = answer
    return { $ref: `#/components/responses/${name}` }
  }
  for (const operation of operationsIn(paths))
    operation.responses = Object.fromEntries(
      answersOf(operation).map(([status, answer]) => [status, reference(answer)]),
    )
  return shared
}
