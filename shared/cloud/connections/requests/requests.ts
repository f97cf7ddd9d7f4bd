import { algorithmNamed } from '../../../crypto/algorithms.ts'
import { exportMaterial } from '../../../crypto/material/export-material.ts'
import { asKeyObject, generateMaterial } from '../../../crypto/key-material.ts'
import { spkiHashOf } from '../../../crypto/public-half.ts'
import { NO_ALT_NAMES } from '../../../crypto/x509/alt-names.ts'
import { makeRequest } from '../../../crypto/x509/request.ts'
import { Refusal } from '../../../base/errors.ts'
import { resourceUri } from '../../../base/ids.ts'
import { DAY_MS, later, reached } from '../../../base/time.ts'
import type { Context } from '../../../http/context.ts'
import { openFor, sealFor } from '../../../keyring/domain-key.ts'
import type { Changes } from '../../../store/changes.ts'
import type { Own, Secrets } from '../kind.ts'
import type { RequestCertificate, RequestedCertificate } from './model.ts'
import { connectionRequests, keyPurpose } from './store.ts'

const KEPT_MS = DAY_MS

/** A sealed key, and the certificate request that it signed. */
async function made(domain: string, { cn, size, names }: RequestCertificate) {
  const material = await generateMaterial(algorithmNamed('rsa'), { sizeBits: size })
  try {
    const key = asKeyObject(material)
    const id = spkiHashOf(key).toString('hex')
    const csr = await makeRequest({ cn, names }, NO_ALT_NAMES, key)
    const clear = Buffer.from(await exportMaterial(material, { format: 'pkcs8' }))
    try {
      return { id, csr, sealed: await sealFor(domain, keyPurpose(id), clear) }
    } finally {
      clear.fill(0)
    }
  } finally {
    material.bytes.destroy()
  }
}

/**
 * Creates a key and a request for its certificate. The key is kept for a day, until a connection is created with the
 * certificate.
 * @throws Refusal RULE_BROKEN for names that no request can have; TOO_MANY_REQUESTS
 */
export async function requestCertificate(context: Context, body: RequestCertificate): Promise<RequestedCertificate> {
  const { caller, changes, now, once, about } = context
  const domain = caller.domain.id
  const { id, csr, sealed } = await once('key of a certificate request', () => made(domain, body))
  const expiresAt = later(now, KEPT_MS).toISOString()
  changes.create(connectionRequests, domain, { id, sealed, createdAt: now.toISOString(), expiresAt })
  about({ uri: resourceUri(domain, 'connectionmgmt', 'requests', id), name: body.cn })
  return { csr }
}

/**
 * The secrets of a connection, including the private key of a certificate requested here. Stages the removal of the
 * request, so that only one of two connections with its certificate gets the key.
 * @param changes absent for a test, which keeps the request
 * @returns the secrets of `own` unchanged if it needs no such key
 * @throws Refusal RULE_BROKEN if no request of the last 24 hours has the certificate's key
 */
export async function secretsOf(
  { domain, now }: { readonly domain: string; readonly now: Date },
  { secrets, requested }: Pick<Own<object>, 'secrets' | 'requested'>,
  changes?: Changes,
): Promise<Secrets | null | undefined> {
  if (requested === undefined) return secrets
  const { name, publicKey, pointer } = requested
  const id = spkiHashOf(publicKey).toString('hex')
  const stored = await connectionRequests.get(domain, id)
  if (stored === undefined || reached(stored.item.expiresAt, now)) {
    const detail = 'is required: no request made here within a day is of the key of the certificate'
    throw new Refusal('RULE_BROKEN', `${name} ${detail}.`, { errors: [{ pointer, detail }] })
  }
  changes?.remove(connectionRequests, domain, stored)
  const clear = await openFor(domain, keyPurpose(id), stored.item.sealed)
  try {
    return { ...secrets, [name]: clear.toString('utf8') }
  } finally {
    clear.fill(0)
  }
}
