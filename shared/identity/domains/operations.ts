import { Deleted, listOf } from '../../http/common-fields.ts'
import { accepted, created, deleted, ok, operation, okStored } from '../../http/operation.ts'
import { DomainKey, DomainKeyQuery } from './key-model.ts'
import { getDomainKey, listDomainKeys, retryDomainKeyRotation, rotateDomainKey } from './domain-keys.ts'
import { createDomain, deleteDomain, getDomain, listDomains, presentDomain, updateDomain } from './domains.ts'
import { CreateDomain, Domain, DomainKeyPath, DomainPath, DomainQuery, UpdateDomain } from './model.ts'

/** GET /v1/domains: all domains from the root domain, only the own one from a child domain. */
export const list = operation(
  { summary: 'List Domains', query: DomainQuery, answers: listOf(Domain), may: 'domain-readers' },
  async ({ query, context }) => ok(await listDomains(context, query)),
)

/** POST /v1/domains: a child domain with its own key, groups and administrators. */
export const create = operation(
  { summary: 'Create Domain', body: CreateDomain, answers: Domain, status: 201, may: 'admins' },
  async ({ body, context }) => created(await createDomain(context, body), 1),
)

/** GET /v1/domains/{id} */
export const get = operation(
  { summary: 'Get Domain', path: DomainPath, answers: Domain, may: 'domain-readers' },
  async ({ path, context }) => okStored(await getDomain(context, path.id)),
)

/** PATCH /v1/domains/{id}: only given fields change. */
export const update = operation(
  { summary: 'Update Domain', path: DomainPath, body: UpdateDomain, answers: Domain, may: 'admins' },
  async ({ path, body, context }) => okStored(await updateDomain(context, path.id, body)),
)

/** DELETE /v1/domains/{id}: refused while the domain contains keys or containers. */
export const remove = operation(
  { summary: 'Delete Domain', path: DomainPath, answers: Deleted, may: 'admins' },
  async ({ path, context }) => {
    await deleteDomain(context, path.id)
    return deleted()
  },
)

/** GET /v1/domains/{id}/keks: the domain's key encryption keys, oldest first; never their bytes. */
export const listKeks = operation(
  {
    summary: 'List Domain Keys',
    path: DomainPath,
    query: DomainKeyQuery,
    answers: listOf(DomainKey),
    may: 'domain-readers',
  },
  async ({ path, query, context }) => ok(await listDomainKeys(context, path.id, query)),
)

/** GET /v1/domains/{id}/keks/{kekID} */
export const getKek = operation(
  { summary: 'Get Domain Key', path: DomainKeyPath, answers: DomainKey, may: 'domain-readers' },
  async ({ path, context }) => ok(await getDomainKey(context, path.id, path.kekID)),
)

/** POST /v1/domains/{id}/rotate-kek: a new key; the former key's data is re-encrypted in the background. */
export const rotateKek = operation(
  { summary: 'Rotate Domain Key', path: DomainPath, answers: DomainKey, status: 202, may: 'admins' },
  async ({ path, context }) => accepted(await rotateDomainKey(context, path.id)),
)

/** POST /v1/domains/{id}/retry-kek-rotation: resumes a failed rotation. */
export const retryKekRotation = operation(
  {
    summary: 'Retry Domain Key Rotation',
    path: DomainPath,
    answers: DomainKey,
    status: 202,
    may: 'admins',
    // the replaced key: `rotate-kek` returns its successor, which is in use at once
    begins: {
      read: '/v1/domains/{id}/keks/{kekID}',
      ids: { kekID: 'id' },
      status: 'state',
      pending: ['resealing'],
      failed: ['failed'],
    },
  },
  async ({ path, context }) => accepted(await retryDomainKeyRotation(context, path.id)),
)

/** GET /v1/domain: the domain of the caller's token. */
export const getPresent = operation(
  { summary: 'Get Present Domain', answers: Domain, may: 'signed-in' },
  async ({ context }) => okStored(await presentDomain(context)),
)
