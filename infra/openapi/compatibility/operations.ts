import { isObject } from '../../../shared/base/json.ts'
import type { Json } from '../schemas.ts'
import { mismatches, resolved, type Direction } from './schemas.ts'

interface Described {
  readonly document: Json
  readonly operation: Json
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']

/** Operations of a description by method and path. */
function operationsOf(document: Json): Map<string, Described> {
  const paths = Object.entries((document.paths ?? {}) as Record<string, Json>)
  return new Map(
    paths.flatMap(([path, item]) =>
      METHODS.filter((method) => isObject(item[method])).map((method): [string, Described] => [
        `${method.toUpperCase()} ${path}`,
        { document, operation: item[method] as Json },
      ]),
    ),
  )
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Parameters by place and name. */
const parametersOf = ({ document, operation }: Described): Map<string, Json> =>
  new Map(
    list(operation.parameters).map((one) => {
      const parameter = resolved(document, one)
      return [`${String(parameter.in)} ${String(parameter.name)}`, parameter]
    }),
  )

/** Schemas by media type of a body or an answer. */
const contentOf = (document: Json, holder: unknown): Record<string, Json> => {
  const { content } = resolved(document, holder)
  return isObject(content) ? (content as Record<string, Json>) : {}
}

function ofParameters(before: Described, after: Described): string[] {
  const [former, present] = [parametersOf(before), parametersOf(after)]
  const added = [...present].filter(([name, { required }]) => required === true && former.get(name)?.required !== true)
  return [
    ...added.map(([name]) => `${name} is required now`),
    ...[...former].flatMap(([name, parameter]) => {
      const now = present.get(name)
      if (now === undefined) return [`${name} is gone`]
      const [from, into] = [parameter, now].map(({ schema }) => schema)
      return mismatches(
        { document: before.document, schema: resolved(before.document, from) },
        { document: after.document, schema: resolved(after.document, into) },
        'request',
        name,
      )
    }),
  ]
}

function ofContent(
  before: Described,
  after: Described,
  holders: readonly [unknown, unknown],
  way: Direction,
): string[] {
  const former = contentOf(before.document, holders[0])
  const present = contentOf(after.document, holders[1])
  return Object.entries(former).flatMap(([media, { schema }]) => {
    if (present[media] === undefined) return [`${way} is not ${media} any more`]
    const sides = [
      { document: before.document, schema: resolved(before.document, schema) },
      { document: after.document, schema: resolved(after.document, present[media].schema) },
    ] as const
    const [from, into] = way === 'request' ? sides : [sides[1], sides[0]]
    return mismatches(from, into, way, way)
  })
}

function ofBody(before: Described, after: Described): string[] {
  const [former, present] = [before.operation.requestBody, after.operation.requestBody]
  if (present !== undefined && former === undefined)
    return resolved(after.document, present).required === true ? ['request has a body now'] : []
  return ofContent(before, after, [former, present], 'request')
}

function ofAnswers(before: Described, after: Described): string[] {
  const [former, present] = [before, after].map(({ operation }) => operation.responses as Json)
  return Object.entries(former ?? {}).flatMap(([status, answer]) => {
    const now = present?.[status]
    if (now === undefined) return [`answer ${status} is gone`]
    return ofContent(before, after, [answer, now], 'answer').map((sentence) => `${status}: ${sentence}`)
  })
}

/** Whether it can be called without a credential. */
const isOpen = ({ document, operation }: Described): boolean =>
  list(operation.security ?? document.security).length === 0

function ofOperation(before: Described, after: Described): string[] {
  return [
    ...(before.operation.operationId === after.operation.operationId
      ? []
      : [`is called ${String(after.operation.operationId)}, not ${String(before.operation.operationId)}`]),
    ...(isOpen(before) && !isOpen(after) ? ['needs a credential now'] : []),
    ...ofParameters(before, after),
    ...ofBody(before, after),
    ...ofAnswers(before, after),
  ]
}

/**
 * Breaking changes, a sentence each: operations, parameters and fields that are gone, requests that require more or take less, and
 * answers that may lack a field.
 */
export function breakingChanges(former: Json, present: Json): string[] {
  const after = operationsOf(present)
  return [...operationsOf(former)].flatMap(([name, before]) => {
    const now = after.get(name)
    return now === undefined ? [`${name} is gone`] : ofOperation(before, now).map((sentence) => `${name}: ${sentence}`)
  })
}
