import { fieldsOf, isObject } from '../../../shared/base/json.ts'
import type { Json } from '../schemas.ts'
import { mismatches, resolved, type Direction } from './schemas.ts'

interface Described {
  readonly document: Json
  readonly operation: Json
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']

/** The members of a value that are objects. */
const objectsIn = (value: unknown): Record<string, Json> =>
  Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, member]) => [name, fieldsOf(member)]))

/** Operations of a description by method and path. */
function operationsOf(document: Json): Map<string, Described> {
  const paths = Object.entries(objectsIn(document.paths))
  return new Map(
    paths.flatMap(([path, item]) =>
      METHODS.filter((method) => isObject(item[method])).map((method): [string, Described] => [
        `${method.toUpperCase()} ${path}`,
        { document, operation: fieldsOf(item[method]) },
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

/** Schemas of a body or an answer, by media type. */
const contentOf = (document: Json, holder: unknown): Record<string, Json> => {
  const { content } = resolved(document, holder)
  return objectsIn(content)
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
  const [wasRequired, isRequired] = [before, after].map(
    ({ document, operation }) => resolved(document, operation.requestBody).required === true,
  )
  return [
    ...(isRequired && !wasRequired ? ['request needs a body now'] : []),
    ...(former === undefined ? [] : ofContent(before, after, [former, present], 'request')),
  ]
}

const headersOf = (document: Json, answer: unknown): string[] => {
  const { headers } = resolved(document, answer)
  return isObject(headers) ? Object.keys(headers) : []
}

function ofAnswer(before: Described, after: Described, answer: unknown, now: unknown): string[] {
  const headers = headersOf(after.document, now)
  return [
    ...headersOf(before.document, answer)
      .filter((name) => !headers.includes(name))
      .map((name) => `header ${name} is gone`),
    ...ofContent(before, after, [answer, now], 'answer'),
  ]
}

function ofAnswers(before: Described, after: Described): string[] {
  const [former, present] = [before, after].map(({ operation }) => fieldsOf(operation.responses))
  return Object.entries(former ?? {}).flatMap(([status, answer]) => {
    const now = present?.[status]
    if (now === undefined) return [`answer ${status} is gone`]
    return ofAnswer(before, after, answer, now).map((sentence) => `${status}: ${sentence}`)
  })
}

/** The sets of credentials that are sufficient, each a list of schemes; an empty list is a call without credentials. */
function credentialsOf({ document, operation }: Described): string[][] {
  const alternatives = list(operation.security ?? document.security)
  return alternatives.length === 0 ? [[]] : alternatives.map((one) => Object.keys(fieldsOf(one)))
}

/** Everyone who could call the operation must still be able to. */
function ofCredentials(before: Described, after: Described): string[] {
  const present = credentialsOf(after)
  return credentialsOf(before)
    .filter((former) => !present.some((schemes) => schemes.every((scheme) => former.includes(scheme))))
    .map((former) =>
      former.length === 0 ? 'needs a credential now' : `${former.join(' and ')} is not enough any more`,
    )
}

function ofOperation(before: Described, after: Described): string[] {
  return [
    ...(before.operation.operationId === after.operation.operationId
      ? []
      : [`is called ${String(after.operation.operationId)}, not ${String(before.operation.operationId)}`]),
    ...ofCredentials(before, after),
    ...ofParameters(before, after),
    ...ofBody(before, after),
    ...ofAnswers(before, after),
  ]
}

/**
 * Breaking changes, one sentence each: operations, parameters, headers and fields that were removed, requests that
 * require more or accept less, and answers that may lack a field.
 */
export function breakingChanges(former: Json, present: Json): string[] {
  const after = operationsOf(present)
  return [...operationsOf(former)].flatMap(([name, before]) => {
    const now = after.get(name)
    return now === undefined ? [`${name} is gone`] : ofOperation(before, now).map((sentence) => `${name}: ${sentence}`)
  })
}
