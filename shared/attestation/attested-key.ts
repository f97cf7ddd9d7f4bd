import type { KeyObject } from 'node:crypto'
import { DerError } from '../crypto/asn1/der.ts'
import { spkiOf } from '../crypto/public-half.ts'
import { certificateIn, leadsToRoot, pathCertificate, type Authorities } from './chain.ts'
import { EvidenceError } from './evidence.ts'
import type { AttestedFacts } from './facts.ts'
import { identityIn, INSTANCE_IDENTITY } from './identity.ts'
import type { Attestation } from './message.ts'
import { attestationKeyIn } from './tpm-key.ts'

/** An attestation key that an authority vouches for, and the machine that its certificate names. */
export interface AttestedKey {
  readonly key: KeyObject
  readonly identity: AttestedFacts
}

const broken = (reason: string): EvidenceError => new EvidenceError('key', reason)

function identityOf(extension: Buffer | undefined): AttestedFacts {
  if (extension === undefined) return {}
  try {
    return identityIn(extension)
  } catch (error) {
    if (error instanceof DerError) throw broken('the certificate names a machine in an unknown form')
    throw error
  }
}

/**
 * The attestation key of the message. Ours: a certificate must vouch for it, since asking the cloud about a machine
 * would need credentials of the cloud.
 * @throws EvidenceError
 */
export function attestedKey(
  { keyPublic, keyCertificate, intermediates }: Attestation,
  authorities: Authorities,
  now: Date,
): AttestedKey {
  if (keyCertificate === undefined) throw broken('the message has no certificate of the attestation key')
  if (keyPublic === undefined) throw broken('the message has no public area of the attestation key')
  const key = attestationKeyIn(keyPublic)
  const leaf = certificateIn(keyCertificate)
  const parts = leaf && pathCertificate(leaf)
  if (leaf === undefined || parts === undefined) throw broken('the certificate of the attestation key is not usable')
  if (!spkiOf(leaf.publicKey).equals(spkiOf(key))) throw broken('the certificate is of another key')
  if (authorities.roots.length === 0) throw broken('this deployment has no root for attestation keys')
  const offered = intermediates.flatMap((bytes) => certificateIn(bytes) ?? [])
  if (!leadsToRoot(leaf, authorities, offered, now))
    throw broken(
      'the certificate of the attestation key does not lead to a root of this deployment, or is not valid now',
    )
  return { key, identity: identityOf(parts.extensions.get(INSTANCE_IDENTITY)?.value) }
}
