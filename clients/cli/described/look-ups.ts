import type { LookUp, OptionRow, PositionRow } from '../command.ts'
import { answerOf, rowsOf } from './answers.ts'
import { markedIn } from './columns.ts'
import { parametersOf, type Description, type Operation, type Parameter } from './description.ts'

/** Filters by which a name is resolved; the first one that the list has is used. */
const NAME_FILTERS = ['name', 'alias', 'key_name', 'secret_name', 'cert_name', 'client_name', 'display_name', 'label']

/** Parameters whose list is not the path before them. */
const ELSEWHERE: Readonly<Record<string, LookUp>> = {
  user_id: { path: '/v1/usermgmt/users', filter: 'username' },
  client_id: { path: '/v1/client-management/clients', filter: 'client_name' },
}

/** Fields and filters that contain ids of records, by the last segment of the list of the records. */
const LISTS: Readonly<Record<string, string>> = {
  auth_tenant: 'auth-tenants',
  auth_tenants: 'auth-tenants',
  backup_job_config_id: 'job-configs',
  ca_id: 'local-cas',
  client_management_profile_id: 'profiles',
  custom_key_store_id: 'custom-key-stores',
  issuer: 'issuers',
  job_config_id: 'job-configs',
  key_id: 'keys',
  key_vault_id: 'vaults',
  keys: 'keys',
  kms_id: 'kms',
  parent: 'external-cas',
  parent_ca_id: 'local-cas',
  parent_id: 'external-cas',
  policy_template_id: 'templates',
  policytemplate: 'templates',
}

/** The property that names the container of a list's records. */
const containerIn = (description: Description, list: Operation): string | undefined =>
  markedIn(rowsOf(answerOf(description, list).schema) ?? {}, description.components.schemas, 'container')

/** The look-up in a list; `undefined` where the list has no filter by name. */
function lookupIn(description: Description, path: string): LookUp | undefined {
  const list = description.paths[path]?.get
  const filters = list === undefined ? [] : parametersOf(description, list).map((each) => each.name)
  const filter = NAME_FILTERS.find((each) => filters.includes(each))
  if (list === undefined || filter === undefined) return undefined
  const container = containerIn(description, list)
  return { path, filter, ...(container !== undefined && { container }) }
}

/** The look-up of a parameter of the path. */
export function lookupOf(description: Description, path: string, { name, schema }: Parameter): PositionRow['lookup'] {
  const own = ELSEWHERE[name]
  if (own !== undefined) return own
  if (schema.format !== 'uuid') return undefined
  return lookupIn(description, path.slice(0, path.indexOf(`{${name}}`) - 1))
}

/** The number of segments that two paths begin with in common. */
function inCommon(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')]
  const end = left.findIndex((segment, at) => segment !== right[at])
  return end === -1 ? left.length : end
}

/** The list with this last segment that is nearest to a path: keys of the same cloud, not of another one. */
function nearestList({ paths }: Description, path: string, segment: string): string | undefined {
  const lists = Object.keys(paths).filter((each) => each.endsWith(`/${segment}`) && !each.includes('{'))
  return lists.toSorted((a, b) => inCommon(b, path) - inCommon(a, path))[0]
}

/** A selector of callers contains ids of users and registered clients; elsewhere a `client_id` is of another service. */
const isOfCaller = ({ path: [above = '', name = ''] }: OptionRow): boolean =>
  above === 'principalSelector' && Object.hasOwn(ELSEWHERE, name)

function lookupOfOption(description: Description, path: string, row: OptionRow, isId: boolean): LookUp | undefined {
  const name = row.path.at(-1) ?? ''
  if (isOfCaller(row)) return ELSEWHERE[name]
  const segment = isId && row.secret === undefined ? LISTS[name] : undefined
  const list = segment === undefined ? undefined : nearestList(description, path, segment)
  return list === undefined ? undefined : lookupIn(description, list)
}

/** Options, with the look-ups of those that accept only an id. */
export const withLookUps = (
  description: Description,
  path: string,
  rows: readonly (OptionRow & { readonly isId?: true })[],
): OptionRow[] =>
  rows.map(({ isId, ...row }) => {
    const lookup = lookupOfOption(description, path, row, isId === true)
    return lookup === undefined ? row : { ...row, lookup }
  })
