import { createHmac, randomBytes } from 'node:crypto'
import { constantTimeEqual } from '../crypto/constant-time.ts'
import { environment } from '../base/environment.ts'
import { Refusal } from '../base/errors.ts'
import { DAY_MS, later, toSeconds } from '../base/time.ts'
import type { Context } from '../http/context.ts'
import { openFor, sealFor } from '../keyring/domain-key.ts'
import { signedAddress } from '../store/objects.ts'
import type { AddressQuery } from './model.ts'
import { archiveOf, auditExports, sealPurpose, type StoredExport } from './store.ts'

/**
 * Ours: the address is one of this service, which redirects to an address of the object store that is valid for a
 * minute. An address of the object store itself would expire with the credentials of the function that signed it, long
 * before 24 hours.
 */
const REDIRECT_SECONDS = 60
const KEY_BYTES = 32

/** A key that signs the addresses of one export, sealed. */
export async function newAddressKey(domain: string, id: string): Promise<string> {
  const key = randomBytes(KEY_BYTES)
  try {
    return await sealFor(domain, sealPurpose(id), key)
  } finally {
    key.fill(0)
  }
}

async function signatureOf(domain: string, { id, sealed }: StoredExport, expires: number): Promise<Buffer> {
  const key = await openFor(domain, sealPurpose(id), sealed)
  try {
    return createHmac('sha256', key).update(`${domain} ${id} ${expires}`).digest()
  } finally {
    key.fill(0)
  }
}

/** An address of a completed export, valid for 24 hours (interface, Limits). */
export async function addressOf(
  domain: string,
  item: StoredExport,
  now: Date,
): Promise<{ url: string; expiresAt: string }> {
  const expires = toSeconds(later(now, DAY_MS))
  const signature = (await signatureOf(domain, item, expires)).toString('base64url')
  const query = new URLSearchParams({ tenant: domain, expires: String(expires), signature })
  const url = `${environment().KEYMGR_BASE_URL}/platform/api/v1/audit-log-exports/${item.id}/archive?${query.toString()}`
  return { url, expiresAt: new Date(expires * 1_000).toISOString() }
}

const denied = (): Refusal => new Refusal('ACTION_DENIED', 'The address is invalid or has expired.')

/**
 * The address from which the archive of a signed address is read.
 * @throws Refusal ACTION_DENIED for an altered address, for a deleted export, and after 24 hours, without distinction
 */
export async function archiveAt(
  { now }: Pick<Context, 'now'>,
  id: string,
  { tenant, expires, signature }: AddressQuery,
): Promise<string> {
  if (!/^\d{1,12}$/.test(expires)) throw denied()
  const stored = await auditExports.get(tenant, id)
  if (stored?.item.status !== 'completed') throw denied()
  const expected = await signatureOf(tenant, stored.item, Number(expires)).catch((error: unknown) => {
    if (error instanceof Refusal && error.reason === 'CIPHERTEXT_INVALID') throw denied() // its domain was deleted
    throw error
  })
  if (!constantTimeEqual(expected, Buffer.from(signature, 'base64url'))) throw denied()
  if (now.getTime() >= Number(expires) * 1_000) throw denied()
  return signedAddress(archiveOf(tenant, id), { fileName: `audit-logs-${id}.zip`, now, seconds: REDIRECT_SECONDS })
}
