import { JOBS } from '../../sdk/described.ts'
import type { CommandRow, Group, GroupHead, PositionRow } from '../command.ts'
import { answerOf, rowsOf, shownRowsOf } from './answers.ts'
import { columnsOf } from './columns.ts'
import { parametersOf, type Description, type Operation, type Parameter, type PathItem } from './description.ts'
import { lookupOf, withLookUps } from './look-ups.ts'
import { offered } from './offered.ts'
import { bodyOptions, clearableFields, queryOption, type FieldRow } from './options.ts'
import { DRY_RUN, previewOf } from './previews.ts'
import { flat, resolved } from './schema.ts'
import { wordsOf } from './words.ts'

/** Services that have separate paths in addition to one whose service is a parameter. */
function servicesBeside({ paths }: Description, path: string): string[] {
  const [before = '', after = ''] = path.split('{svc}')
  return Object.keys(paths)
    .filter((other) => other.startsWith(before) && other.endsWith(after) && other !== path)
    .map((other) => other.slice(before.length, -after.length))
}

function positionsOf(description: Description, path: string, parameters: readonly Parameter[]): PositionRow[] {
  const inPath = parameters.filter((each) => each.in === 'path')
  const byPlace = inPath.toSorted((a, b) => path.indexOf(`{${a.name}}`) - path.indexOf(`{${b.name}}`))
  return byPlace.map((parameter) => {
    const lookup = lookupOf(description, path, parameter)
    const services = parameter.name === 'svc' ? servicesBeside(description, path) : undefined
    const choices = services ?? flat(parameter.schema, description.components.schemas).enum
    return {
      name: parameter.name,
      ...(lookup && { lookup }),
      ...(choices && { enum: choices.map(String) }),
    }
  })
}

function sentOf({ components }: Description, { requestBody }: Operation) {
  if (requestBody === undefined) return { options: [] as FieldRow[] }
  const contents = Object.entries(requestBody.content)
  const schema = contents[0]?.[1].schema ?? {}
  // a body without fields is sent as the bytes of a file if it accepts them
  const isWhole = flat(schema, components.schemas).types.join() === 'string'
  const [sends = 'application/json'] = (isWhole ? contents.at(-1) : contents[0]) ?? []
  const clearable = clearableFields(schema, components.schemas)
  const rules = resolved(schema, components.schemas).description
  return {
    options: bodyOptions(schema, components.schemas),
    sends,
    ...(clearable.length > 0 && { clearable }),
    ...(requestBody.required === true && { isBodyRequired: true as const }),
    ...(rules?.startsWith('Rules: ') && { rules: rules.slice('Rules: '.length) }),
  }
}

/** Whether an operation starts a job, or shows one. */
const isJob = (method: string, path: string): boolean =>
  method === 'get'
    ? Object.hasOwn(JOBS, path)
    : Object.values(JOBS).some(({ begunBy }) => method === 'post' && begunBy.some((each: string) => each === path))

/** The operations of a path, without its parameters and servers. */
const operationsIn = (item: PathItem): [string, Operation][] =>
  Object.entries(item).filter(([, operation]) => 'operationId' in operation)

/** Whether a path accepts only POST, and is not a collection of records. */
function isCall({ paths }: Description, path: string): boolean {
  const methods = Object.keys(paths[path] ?? {})
  return methods.join() === 'post' && paths[`${path}/{id}`] === undefined
}

/** The first words of a command, and its row. */
function commandOf(description: Description, method: string, path: string, item: PathItem, operation: Operation) {
  const { schemas } = description.components
  const { operationId, summary, description: about = '', 'x-keymgr-lost': lost } = operation
  const tags = description.tags.map(({ name }) => name)
  const beside = Object.fromEntries(operationsIn(item).map(([each, { operationId: id }]) => [each, id]))
  const isBelowCall = isCall(description, path.slice(0, path.lastIndexOf('/')))
  const [word = '', ...words] = wordsOf({ method, path, operationId, tags, isBelowCall, beside })
  const parameters = parametersOf(description, operation)
  const { options: fields, ...sent } = sentOf(description, operation)
  const inQuery = parameters.filter((each) => each.in === 'query' && each.name !== DRY_RUN)
  const { type, schema } = answerOf(description, operation)
  const rows = rowsOf(schema)
  const preview = previewOf(description, method, path, operation)
  const row: CommandRow = {
    words,
    operationId,
    method: method.toUpperCase(),
    path,
    summary,
    about,
    positions: positionsOf(description, path, parameters),
    options: offered(
      description,
      withLookUps(description, path, [
        ...inQuery.map((each) => queryOption(each.name, each.schema, each, schemas)),
        ...fields.filter(({ path: names }) => preview?.field === undefined || names.join() !== preview.field),
      ]),
    ),
    ...sent,
    headers: parameters.filter((each) => each.in === 'header').map(({ name }) => name),
    answers: type,
    ...(rows && { isPage: true as const }),
    columns: columnsOf(shownRowsOf(schema), schemas),
    ...(preview && { preview }),
    ...(lost !== undefined && { lost }),
    ...(isJob(method, path) && { isJob: true as const }),
  }
  return { word, row }
}

/** Every operation of the management interface with its command. */
function commandsOf(description: Description) {
  const ofDataPlanes = description.tags.filter((tag) => tag['x-keymgr-data-plane']).map(({ name }) => name)
  return Object.entries(description.paths).flatMap(([path, item]) =>
    operationsIn(item)
      .filter(([, { tags }]) => !tags.some((tag) => ofDataPlanes.includes(tag)))
      .map(([method, operation]) => commandOf(description, method, path, item, operation)),
  )
}

const sentenceOf = (word: string, verbs: readonly string[]): string =>
  `${word.charAt(0).toUpperCase()}${word.slice(1).replaceAll('-', ' ')}: ${verbs.join(', ')}.`

/** All groups of commands, and the facts about them that are known without reading a group. */
export function groupsOf(description: Description): { heads: GroupHead[]; groups: Group[] } {
  const commands = commandsOf(description)
  const words = [...new Set(commands.map(({ word }) => word))].sort()
  const groups = words.map((word) => ({
    word,
    commands: commands.filter((each) => each.word === word).map(({ row }) => row),
  }))
  const heads = groups.map(({ word, commands: rows }) => {
    const sentence = description.tags.find(({ name }) => name === word)?.description
    const second = [...new Set(rows.flatMap((row) => row.words[0] ?? []))]
    return { word, about: sentence ?? (second.length === 0 ? `${rows[0]?.summary ?? ''}.` : sentenceOf(word, second)) }
  })
  return { heads, groups }
}
