import { hash, randomBytes } from 'node:crypto'
import { nameTaken, notThere } from '../../base/errors.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import { without } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import type { Stored } from '../../store/entity.ts'
import type {
  CreatePlatformCredential,
  NewPlatformCredential,
  PlatformCredential,
  PlatformCredentialQuery,
} from './model.ts'
import { platformCredentials, type StoredPlatformCredential } from './store.ts'

/** 43 characters of base64url. */
const SECRET_BYTES = 32

export const secretHash = (secret: string): string => hash('sha256', secret)

/** Ours: a client id names its domain, so that a request for a token finds its credential in one read. */
export const clientIdOf = (domain: string, id: string): string => `${id}.${domain}`

/** The parts of a client id; `undefined` for a text that is none. */
export function partsOf(clientId: string): { id: string; domain: string } | undefined {
  const [, id, domain] = /^([0-9a-f-]{36})\.([0-9a-f-]{36})$/.exec(clientId) ?? []
  return id === undefined || domain === undefined ? undefined : { id, domain }
}

const present = (domain: string, stored: StoredPlatformCredential): PlatformCredential => ({
  ...without(stored, 'secret_hash'),
  client_id: clientIdOf(domain, stored.id),
})

/** Makes a credential, whose secret is in this answer alone. @throws Refusal NAME_TAKEN */
export function createCredential(
  { caller, changes, now, about }: Context,
  { name }: CreatePlatformCredential,
): Stored<NewPlatformCredential> {
  const domain = caller.domain.id
  const id = uuid(now)
  const client_secret = randomBytes(SECRET_BYTES).toString('base64url')
  const credential: StoredPlatformCredential = {
    ...commonFields(domain, id, resourceUri(domain, 'audit', 'platform-credentials', id), now),
    name,
    created_by: caller.username,
    secret_hash: secretHash(client_secret),
  }
  changes.create(platformCredentials, domain, credential, () => nameTaken('platform credential', name))
  about({ uri: credential.uri, name, after: { name } })
  return { item: { ...present(domain, credential), client_secret }, rev: 1 }
}

export const listCredentials = (
  { caller }: Context,
  query: PlatformCredentialQuery,
): Promise<ResourceList<PlatformCredential>> =>
  listed(platformCredentials, caller.domain.id, query, {
    served: 'all',
    patterns: { name: query.name },
    present: ({ item }) => present(caller.domain.id, item),
  })

async function find({ caller }: Context, id: string): Promise<Stored<StoredPlatformCredential>> {
  const stored = await platformCredentials.get(caller.domain.id, id)
  if (stored === undefined) throw notThere('There is no such platform credential.')
  return stored
}

/** @throws Refusal NOT_FOUND */
export async function getCredential(context: Context, id: string): Promise<Stored<PlatformCredential>> {
  const { item, rev } = await find(context, id)
  return { item: present(context.caller.domain.id, item), rev }
}

/** Revokes a credential. Its tokens are refused within five seconds. @throws Refusal NOT_FOUND, VERSION_STALE */
export async function deleteCredential(context: Context, id: string): Promise<void> {
  const { caller, changes, about } = context
  const stored = await find(context, id)
  assertIfMatch(context, stored)
  const { uri, name } = stored.item
  changes.remove(platformCredentials, caller.domain.id, stored)
  about({ uri, name, before: { name }, record: stored.item })
}
