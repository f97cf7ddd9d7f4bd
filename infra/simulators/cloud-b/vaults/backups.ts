import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import { geographyOf, isHsm, type Vault } from '../directory/directory.ts'
import { badParameter } from '../wire/errors.ts'
import type { CloudState } from '../state/state.ts'
import type { Held, Kind } from './held.ts'

/** The items in one backup: a certificate includes its key and its secret. */
export type BackedUp = { readonly [K in Kind]?: Held[K] }

const HEAD = Buffer.from('simulated backup 1')
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * A text for the vaults that can restore a backup: those of a subscription in one geography, or a single managed HSM.
 */
const domainOf = (vault: Vault): Buffer =>
  Buffer.from(isHsm(vault) ? `hsm ${vault.name}` : `${vault.subscription} ${geographyOf(vault)}`)

const keyOf = (state: CloudState): Buffer => state.ownBytes('backup', () => randomBytes(32))

/** A blob that only the cloud can decrypt. */
export function seal(state: CloudState, vault: Vault, kind: Kind, things: BackedUp): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(state), iv).setAAD(Buffer.concat([HEAD, domainOf(vault)]))
  const sealed = [cipher.update(serialize({ kind, things })), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([HEAD, iv, ...sealed])
}

/** @throws ApiError BadParameter for every failure, such as a vault of another subscription or geography */
export function open(state: CloudState, vault: Vault, kind: Kind, blob: Buffer): BackedUp {
  const broken = () => badParameter('Cannot decrypt backup blob.')
  const start = HEAD.length + IV_BYTES
  if (blob.length < start + TAG_BYTES || !blob.subarray(0, HEAD.length).equals(HEAD)) throw broken()
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(state), blob.subarray(HEAD.length, start))
    decipher.setAAD(Buffer.concat([HEAD, domainOf(vault)])).setAuthTag(blob.subarray(-TAG_BYTES))
    const clear = Buffer.concat([decipher.update(blob.subarray(start, -TAG_BYTES)), decipher.final()])
    const opened = deserialize(clear) as { kind: Kind; things: BackedUp }
    if (opened.kind === kind) return opened.things
  } catch {
    throw broken()
  }
  throw broken()
}
