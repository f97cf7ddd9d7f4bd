import type * as z from 'zod'
import { KeyPassport } from '../../audit/passport/model.ts'
import type { Context } from '../../http/context.ts'
import { Deleted, listOf } from '../../http/common-fields.ts'
import { created, deleted, ok, okStored, operation, route, type Operation, type Route } from '../../http/operation.ts'
import type { Stored } from '../../store/entity.ts'
import { withRules } from '../../http/rules.ts'
import { ALGORITHM_RULES } from './record/algorithm-rules.ts'
import {
  BulkExportedKeys,
  BulkExportKeys,
  CloneLocalKey,
  KeyAttribute,
  KeyCheckValue,
  ReactivateLocalKey,
  ReadAttribute,
  RevokeLocalKey,
  UpdateLocalKey,
} from './bodies.ts'
import { bulkExport } from './material/bulk-export.ts'
import { listCanaries, markCanary } from './canary/mark.ts'
import { archiveKey, destroyKey, reactivateKey, recoverKey, revokeKey } from './lifecycle/change-state.ts'
import { cloneKey } from './lifecycle/clone-key.ts'
import { checkValue } from './record/check-value.ts'
import { createKey } from './lifecycle/create-key.ts'
import { deleteKey } from './lifecycle/delete-key.ts'
import { exportKey } from './material/export-key.ts'
import { getKey, readAttribute } from './lists/get-key.ts'
import { listKeyLabels } from './lists/key-labels.ts'
import { listVersions } from './lists/list-keys.ts'
import {
  CreateKeyVersion,
  CreateLocalKey,
  CreateLocalKeyQuery,
  EndLocalKey,
  KeyLabel,
  LocalKey,
  LocalKeyPath,
  LocalKeySelector,
  LocalKeyUses,
  LocalKeyWithMaterial,
} from './model.ts'
import { ExportLocalKey } from './material/wrapping-fields.ts'
import { KeyLabelQuery, KeyVersionQuery, LocalKeyQuery, QueryKeys } from './lists/query.ts'
import { listMatchingKeys, queryKeys } from './lists/query-keys.ts'
import { keyUses } from './lifecycle/in-use.ts'
import { newVersion } from './lifecycle/new-version.ts'
import { naming, namingListed, namingStored } from './policies/permission-groups.ts'
import { keyPassport } from './passport/passport.ts'
import { updateKey } from './lifecycle/update-key.ts'

/** GET /v1/vault/keys2: the latest versions, unless the query includes former ones. */
export const list = operation(
  { summary: 'List Keys', query: LocalKeyQuery, answers: listOf(LocalKey), may: 'key-users' },
  async ({ query, context }) => ok(await namingListed(listMatchingKeys)(context, query)),
)

/** POST /v1/vault/keys2: creates a key, or imports the one in the body. */
export const create = operation(
  {
    summary: 'Create Key',
    query: CreateLocalKeyQuery,
    body: withRules(CreateLocalKey, ...ALGORITHM_RULES),
    answers: LocalKeyWithMaterial,
    status: 201,
    may: 'key-users',
  },
  async ({ query, body, context }) =>
    created(await naming(createKey)(context, body, query.includeMaterial === true), 1),
)

/** GET /v1/vault/keys2/{id}: one version; the latest for a name or alias. */
export const get = operation(
  { summary: 'Get Key', path: LocalKeyPath, query: LocalKeySelector, answers: LocalKey, may: 'key-users' },
  async ({ path, query, context }) => okStored(await namingStored(getKey)(context, path.id, query)),
)

/** GET /v1/vault/keys2/{id}/passport: a signed statement about the key and all its versions. */
export const passport = operation(
  {
    summary: 'Get Key Passport',
    path: LocalKeyPath,
    query: LocalKeySelector,
    answers: KeyPassport,
    may: 'key-users',
  },
  async ({ path, query, context }) => ok(await keyPassport(context, path.id, query)),
)

/** GET /v1/vault/keys2/{id}/uses: everything for which a deletion of the key, or of one version, would be refused. */
export const uses = operation(
  {
    summary: 'List Key Uses',
    path: LocalKeyPath,
    query: LocalKeySelector,
    answers: LocalKeyUses,
    may: 'key-users',
  },
  async ({ path, query, context }) => ok(await keyUses(context, path.id, query)),
)

/** PATCH /v1/vault/keys2/{id}: only given fields change; `null` removes an optional one. */
export const update = operation(
  {
    summary: 'Update Key',
    path: LocalKeyPath,
    query: EndLocalKey,
    body: UpdateLocalKey,
    answers: LocalKey,
    may: 'key-users',
  },
  async ({ path, query, body, context }) => okStored(await namingStored(updateKey)(context, path.id, query, body)),
)

/**
 * DELETE /v1/vault/keys2/{id}: all versions, or one with `version`; the material is wiped. Ours: refused while the key
 * is in use, unless `force`.
 */
export const remove = operation(
  {
    summary: 'Delete Key',
    danger: { level: 3, lost: 'The material of the key is wiped: what it encrypted can no longer be read.' },
    path: LocalKeyPath,
    query: EndLocalKey,
    answers: Deleted,
    may: 'key-users',
  },
  async ({ path, query, context }) => {
    await deleteKey(context, path.id, query)
    return deleted()
  },
)

/** GET /v1/vault/keys2/{id}/versions: one record per version, oldest first. */
export const versions = operation(
  {
    summary: 'List Key Versions',
    path: LocalKeyPath,
    query: KeyVersionQuery,
    answers: listOf(LocalKey),
    may: 'key-users',
  },
  async ({ path, query, context }) => ok(await namingListed(listVersions)(context, path.id, query)),
)

/** POST /v1/vault/keys2/{id}/versions: a new version succeeds the latest one. */
export const createVersion = operation(
  {
    summary: 'Rotate Key',
    path: LocalKeyPath,
    body: CreateKeyVersion,
    answers: LocalKey,
    status: 201,
    may: 'key-users',
  },
  async ({ path, body, context }) => created(await naming(newVersion)(context, path.id, body, undefined), 1),
)

/** POST /v1/vault/keys2/{id}/export: the key with its material, wrapped if requested. */
export const exportOne = operation(
  {
    summary: 'Export Key',
    path: LocalKeyPath,
    query: LocalKeySelector,
    body: ExportLocalKey,
    answers: LocalKeyWithMaterial,
    may: 'key-users',
    once: true,
  },
  async ({ path, query, body, context }) => ok(await naming(exportKey)(context, path.id, query, body)),
)

/** POST /v1/vault/keys2/{id}/clone: a new key with the same material. */
export const clone = operation(
  {
    summary: 'Clone Key',
    path: LocalKeyPath,
    query: LocalKeySelector,
    body: CloneLocalKey,
    answers: LocalKeyWithMaterial,
    status: 201,
    may: 'key-users',
  },
  async ({ path, query, body, context }) => created(await naming(cloneKey)(context, path.id, query, body), 1),
)

/** POST /v1/vault/keys2/{id}/attributes: the value of one field of the record. */
export const attribute = operation(
  {
    summary: 'Read Key Attribute',
    path: LocalKeyPath,
    query: LocalKeySelector,
    body: ReadAttribute,
    answers: KeyAttribute,
    may: 'key-users',
    reads: true,
  },
  async ({ path, query, body, context }) => ok(await readAttribute(context, path.id, query, body)),
)

/** POST /v1/vault/keys2/{id}/generate-kcv: the check value of a symmetric key, from its material. */
export const generateKcv = operation(
  {
    summary: 'Generate Key Check Value',
    path: LocalKeyPath,
    query: LocalKeySelector,
    answers: KeyCheckValue,
    may: 'key-users',
    reads: true,
  },
  async ({ path, query, context }) => ok(await checkValue(context, path.id, query)),
)

type Act<B> = (context: Context, id: string, selector: LocalKeySelector, body: B) => Promise<Stored<LocalKey>>

/** POST /v1/vault/keys2/{id}/<action>: changes the state of one version. */
const stateAction = <B extends z.ZodType = z.ZodUndefined>(
  summary: string,
  act: Act<z.output<B>>,
  body?: B,
  query: typeof LocalKeySelector | typeof EndLocalKey = LocalKeySelector,
  lost?: string,
): Operation =>
  operation(
    {
      summary,
      path: LocalKeyPath,
      query,
      ...(body && { body }),
      answers: LocalKey,
      may: 'key-users',
      ...(lost !== undefined && { danger: { level: 3, lost } }),
    },
    async ({ path, query: asked, body: args, context }) =>
      okStored(await namingStored(act)(context, path.id, asked, args)),
  )

/** Deactivates the key, or marks it as compromised. */
export const revoke = stateAction('Revoke Key', revokeKey, RevokeLocalKey)

/** Returns the key to Active, fully or to process only. */
export const reactivate = stateAction('Reactivate Key', reactivateKey, ReactivateLocalKey)

/** The key cannot be used until it is recovered. */
export const archive = stateAction('Archive Key', archiveKey)

/** Ends archiving. */
export const recover = stateAction('Recover Key', recoverKey)

/** Wipes the material permanently; the record stays. Ours: refused while the key is in use, unless `force`. */
export const destroy = stateAction(
  'Destroy Key',
  destroyKey,
  undefined,
  EndLocalKey,
  'The material of the key is wiped: what it encrypted can no longer be read.',
)

/** POST /v1/vault/keys2/{id}/canary: any use of the key raises an alarm from now on. Its record does not show it. */
export const mark = operation(
  { summary: 'Mark Canary Key', path: LocalKeyPath, answers: LocalKey, may: 'key-admins' },
  async ({ path, context }) => okStored(await namingStored(markCanary)(context, path.id, true)),
)

/** DELETE /v1/vault/keys2/{id}/canary: the key is an ordinary one again. */
export const unmark = operation(
  { summary: 'Unmark Canary Key', path: LocalKeyPath, answers: LocalKey, may: 'key-admins' },
  async ({ path, context }) => okStored(await namingStored(markCanary)(context, path.id, false)),
)

/** GET /v1/vault/canary-keys: the only answer that names the canaries. */
export const canaries = operation(
  { summary: 'List Canary Keys', query: KeyVersionQuery, answers: listOf(LocalKey), may: 'key-admins' },
  async ({ query: asked, context }) => ok(await namingListed(listCanaries)(context, asked)),
)

/** POST /v1/vault/query-keys: the list of keys, with filters that do not fit into a query string. */
export const query = operation(
  { summary: 'Query Keys', body: QueryKeys, answers: listOf(LocalKey), may: 'key-users', reads: true },
  async ({ body, context }) => ok(await namingListed(queryKeys)(context, body)),
)

/** GET /v1/vault/key-labels: the labels of the keys that the caller may see. */
export const labels = operation(
  { summary: 'List Key Labels', query: KeyLabelQuery, answers: listOf(KeyLabel), may: 'key-users' },
  async ({ query: asked, context }) => ok(await listKeyLabels(context, asked)),
)

/** POST /v1/vault/keys-bulk-export: up to 100 keys with their material; a refused one does not stop the others. */
export const exportMany = operation(
  { summary: 'Bulk Export Keys', body: BulkExportKeys, answers: BulkExportedKeys, may: 'key-users', once: true },
  async ({ body, context }) => ok(await bulkExport(context, body)),
)

/** Local keys. */
export const routes: readonly Route[] = [
  route('GET', '/v1/vault/keys2', list),
  route('POST', '/v1/vault/keys2', create),
  route('GET', '/v1/vault/keys2/{id}', get),
  route('PATCH', '/v1/vault/keys2/{id}', update),
  route('DELETE', '/v1/vault/keys2/{id}', remove),
  route('GET', '/v1/vault/keys2/{id}/passport', passport),
  route('GET', '/v1/vault/keys2/{id}/uses', uses),
  route('GET', '/v1/vault/keys2/{id}/versions', versions),
  route('POST', '/v1/vault/keys2/{id}/versions', createVersion),
  route('POST', '/v1/vault/keys2/{id}/export', exportOne),
  route('POST', '/v1/vault/keys2/{id}/clone', clone),
  route('POST', '/v1/vault/keys2/{id}/attributes', attribute),
  route('POST', '/v1/vault/keys2/{id}/generate-kcv', generateKcv),
  route('POST', '/v1/vault/keys2/{id}/revoke', revoke),
  route('POST', '/v1/vault/keys2/{id}/reactivate', reactivate),
  route('POST', '/v1/vault/keys2/{id}/archive', archive),
  route('POST', '/v1/vault/keys2/{id}/recover', recover),
  route('POST', '/v1/vault/keys2/{id}/destroy', destroy),
  route('POST', '/v1/vault/keys2/{id}/canary', mark),
  route('DELETE', '/v1/vault/keys2/{id}/canary', unmark),
  route('GET', '/v1/vault/canary-keys', canaries),
  route('POST', '/v1/vault/query-keys', query),
  route('GET', '/v1/vault/key-labels', labels),
  route('POST', '/v1/vault/keys-bulk-export', exportMany),
]
