import { hash, randomBytes } from 'node:crypto'
import { without } from '../../base/fields.ts'
import { resourceUri } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { newCommonFields, stageNew } from '../../resource/records.ts'
import { resource } from '../../resource/resource.ts'
import type { Stored } from '../../store/entity.ts'
import {
  PlatformCredential,
  PlatformCredentialQuery,
  type CreatePlatformCredential,
  type NewPlatformCredential,
} from './model.ts'
import { platformCredentials } from './store.ts'

/** 43 characters of base64url. */
const SECRET_BYTES = 32

export const secretHash = (secret: string): string => hash('sha256', secret)

/** Ours: a client id contains its domain, so that a request for a token finds its credential in one read. */
export const clientIdOf = (domain: string, id: string): string => `${id}.${domain}`

/** The parts of a client id; `undefined` for any other text. */
export function partsOf(clientId: string): { id: string; domain: string } | undefined {
  const [, id, domain] = /^([0-9a-f-]{36})\.([0-9a-f-]{36})$/.exec(clientId) ?? []
  return id === undefined || domain === undefined ? undefined : { id, domain }
}

/** Credentials of the platform. The tokens of a deleted one are refused within five seconds. */
export const credentials = resource({
  entity: platformCredentials,
  noun: 'platform credential',
  title: 'Platform Credential',
  at: '/v1/audit/platform-credentials',
  reads: 'admins',
  changes: 'admins',
  answers: PlatformCredential,
  query: PlatformCredentialQuery,
  uri: (domain, id) => resourceUri(domain, 'audit', 'platform-credentials', id),
  audited: ['name'],
  present: (credential, { caller }) => ({
    ...without(credential, 'secret_hash'),
    client_id: clientIdOf(caller.domain.id, credential.id),
  }),
})

/** Creates a credential; only this answer contains its secret. @throws Refusal NAME_TAKEN */
export async function createCredential(
  context: Context,
  { name }: CreatePlatformCredential,
): Promise<Stored<NewPlatformCredential>> {
  const client_secret = randomBytes(SECRET_BYTES).toString('base64url')
  const { item, rev } = await stageNew(credentials, context, {
    ...newCommonFields(credentials, context),
    name,
    created_by: context.caller.username,
    secret_hash: secretHash(client_secret),
  })
  return { item: { ...item, client_secret }, rev }
}
