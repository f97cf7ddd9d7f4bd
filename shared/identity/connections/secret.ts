import { openFor, sealFor } from '../../keyring/domain-key.ts'
import { secretPurpose, type StoredLoginConnection } from './store.ts'

/** Encrypts the password or client secret of a connection. */
export async function sealSecret(domain: string, id: string, secret: string): Promise<string> {
  const clear = Buffer.from(secret)
  try {
    return await sealFor(domain, secretPurpose({ id }), clear)
  } finally {
    clear.fill(0)
  }
}

/** @returns `undefined` for a connection without a secret @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export async function openSecret(
  domain: string,
  connection: Pick<StoredLoginConnection, 'id' | 'sealed'>,
): Promise<string | undefined> {
  if (connection.sealed === undefined) return undefined
  const clear = await openFor(domain, secretPurpose(connection), connection.sealed)
  try {
    return clear.toString('utf8')
  } finally {
    clear.fill(0)
  }
}
