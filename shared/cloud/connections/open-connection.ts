import * as z from 'zod'
import { openFor, sealFor } from '../../keyring/domain-key.ts'
import { secretsPurpose, type StoredConnection } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import type { Secrets } from './kind.ts'

const SealedSecrets = z.record(z.string(), z.string())

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

/** Key of the adapter's caches for a connection: entries are valid until its record changes. */
export const keyOf = ({ item, rev }: Stored<StoredConnection>): string => `${item.id}.${rev}`
