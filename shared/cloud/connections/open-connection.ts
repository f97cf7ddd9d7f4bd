import * as z from 'zod'
import type { CloudAConnection } from '../../clouds/cloud-a/adapter/types.ts'
import type { CloudCConnection } from '../../clouds/cloud-c/adapter/types.ts'
import { openFor, sealFor } from '../../keyring/domain-key.ts'
import type { ConnectionOf, StoredConnection } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { cloudAEntryOf } from '../../clouds/cloud-a/connections/kind.ts'
import type { Secrets } from './kind.ts'

const SealedSecrets = z.record(z.string(), z.string())

/** What a connection's secrets are sealed as: bound to it, so that no other connection can use them. */
export const secretsPurpose = ({ id }: Pick<StoredConnection, 'id'>): string[] => ['connection', id, 'secrets']

export async function sealSecrets(domain: string, id: string, secrets: Secrets): Promise<string> {
  const clear = Buffer.from(JSON.stringify(secrets))
  try {
    return await sealFor(domain, secretsPurpose({ id }), clear)
  } finally {
    clear.fill(0)
  }
}

/** @returns nothing for a connection without credentials of its own @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export async function openSecrets(domain: string, connection: StoredConnection): Promise<Secrets> {
  if (connection.sealed === undefined) return {}
  const clear = await openFor(domain, secretsPurpose(connection), connection.sealed)
  try {
    return SealedSecrets.parse(JSON.parse(clear.toString('utf8')))
  } finally {
    clear.fill(0)
  }
}

/** What an adapter keeps for a connection holds until its record changes. */
const keyOf = ({ item, rev }: Stored<StoredConnection>): string => `${item.id}.${rev}`

/** A connection as cloud-a is entered by it. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export async function openCloudA(domain: string, stored: Stored<ConnectionOf<'cloud-a'>>): Promise<CloudAConnection> {
  const { secret_access_key } = await openSecrets(domain, stored.item)
  return { key: keyOf(stored), ...cloudAEntryOf(stored.item), ...(secret_access_key && { secret_access_key }) }
}

/** A connection as cloud-c is entered by it. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export async function openCloudC(domain: string, stored: Stored<ConnectionOf<'cloud-c'>>): Promise<CloudCConnection> {
  const { key_file = '' } = await openSecrets(domain, stored.item)
  return { key: keyOf(stored), key_file }
}
