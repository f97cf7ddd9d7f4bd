import type { PreviewRow } from '../command.ts'
import { answerOf, shownRowsOf } from './answers.ts'
import { columnsOf } from './columns.ts'
import { parametersOf, type Description, type Operation } from './description.ts'
import { flat, type Schema } from './schema.ts'

/** The parameter of a query that makes a call a dry run. */
export const DRY_RUN = 'dry_run'
/** Columns of its answer. */
const DRY_RUN_COLUMNS = ['dry_run', 'changes', 'uses', 'continues']

/** Fields of bodies that make a call a dry run. */
const TRIAL_FIELDS = ['dryRun', 'dry_run']

const bodyOf = ({ requestBody }: Operation): Schema =>
  Object.values(requestBody?.content ?? {}).find(({ schema }) => schema !== undefined)?.schema ?? {}

/** Possible paths of the dry run of a call, in the spellings of the API. */
const pathsOfTrials = (method: string, path: string): string[] =>
  method === 'post'
    ? [`${path}/preview`, path.replace(/\/connections$/, '/connection-test')]
    : [`${path}/preview`, ...(/\/connections\/\{\w+\}$/.test(path) ? [`${path}/test`] : [])]

/**
 * The call that reports the effect of an operation: the same call with a field (`dryRun`), a preview, the test of a
 * connection with these fields, or the same call with the parameter `dry_run`.
 */
export function previewOf(
  description: Description,
  method: string,
  path: string,
  operation: Operation,
): PreviewRow | undefined {
  const special = specialPreviewOf(description, method, path, operation)
  if (special !== undefined) return special
  const isOffered = parametersOf(description, operation).some((each) => each.in === 'query' && each.name === DRY_RUN)
  return isOffered ? { method: method.toUpperCase(), path, parameter: DRY_RUN, columns: DRY_RUN_COLUMNS } : undefined
}

function specialPreviewOf(
  description: Description,
  method: string,
  path: string,
  operation: Operation,
): PreviewRow | undefined {
  if (method !== 'post' && method !== 'patch') return undefined
  const { schemas } = description.components
  const fieldsOf = (each: Operation) => Object.keys(flat(bodyOf(each), schemas).properties ?? {})
  const field = TRIAL_FIELDS.find((name) => fieldsOf(operation).includes(name))
  const columnsFor = (each: Operation): string[] => columnsOf(shownRowsOf(answerOf(description, each).schema), schemas)
  if (field !== undefined) return { method: method.toUpperCase(), path, field, columns: columnsFor(operation) }
  const at = pathsOfTrials(method, path).find((each) => each !== path && description.paths[each]?.post !== undefined)
  const trial = at === undefined ? undefined : description.paths[at]?.post
  if (at === undefined || trial === undefined || at.includes('{svc}')) return undefined
  return { method: 'POST', path: at, fields: fieldsOf(trial), columns: columnsFor(trial) }
}
