import type { KeyObject } from 'node:crypto'
import { Refusal } from '../base/errors.ts'
import { asKeyObject } from '../crypto/key-material.ts'
import { USAGE } from '../crypto/usage.ts'
import type { Context } from '../http/context.ts'
import type { Stored } from '../store/entity.ts'
import { forOwnKey } from '../vault/keys/policies/access.ts'
import { createKey } from '../vault/keys/lifecycle/create-key.ts'
import { assertUsable } from '../vault/keys/lifecycle/key-state.ts'
import { openMaterial } from '../vault/keys/material/material.ts'
import { CreateLocalKey } from '../vault/keys/model.ts'
import { localKeys, type StoredLocalKey } from '../vault/keys/store.ts'

/** Name of the local key of an authority. */
export const keyNameOf = (authorityId: string): string => `ca-${authorityId}`

/**
 * Creates the local key of an authority: it cannot be exported, is protected against accidental deletion, and signs
 * certificates and revocation lists. Ours: it has no other use, so no endpoint or export can sign with it.
 * @param work receives the private key before anything is stored
 * @returns id of the key, and the result of `work`
 */
export async function newAuthorityKey<T>(
  context: Context,
  authorityId: string,
  spec: object,
  work: (key: KeyObject) => Promise<T>,
): Promise<{ keyId: string; made: T }> {
  const body = CreateLocalKey.parse({
    ...spec,
    name: keyNameOf(authorityId),
    usageMask: USAGE.certificateSign | USAGE.crlSign,
    unexportable: true,
    undeletable: true,
  })
  const done: T[] = []
  const { id } = await createKey(forOwnKey(context), body, false, {
    lend: async (material) => {
      done.push(await work(asKeyObject(material)))
    },
  })
  const [made] = done
  if (made === undefined) throw new Error('A new key was not lent')
  return { keyId: id, made }
}

/** The two uses of an authority's key. */
const VERBS = { certificateSign: 'sign certificates', crlSign: 'sign lists of revoked certificates' } as const

async function usable(
  domain: string,
  keyId: string,
  use: keyof typeof VERBS,
  now: Date,
): Promise<Stored<StoredLocalKey>> {
  const stored = await localKeys.get(domain, keyId)
  if (stored === undefined) throw new Refusal('STATE_CONFLICT', 'The local key of the authority is not there.')
  const { item: key } = stored
  if ((key.usageMask & USAGE[use]) === 0)
    throw new Refusal('USAGE_DENIED', `The usageMask of ${key.name} does not allow to ${VERBS[use]}.`)
  assertUsable(key, 'protect', now)
  return stored
}

/**
 * Passes the private key of an authority to `work`. State, dates and usage of the local key determine whether it signs.
 * @throws Refusal STATE_CONFLICT, USAGE_DENIED, and errors of `work`
 */
export async function withAuthorityKey<T>(
  { domain, keyId, now }: { readonly domain: string; readonly keyId: string; readonly now: Date },
  use: keyof typeof VERBS,
  work: (key: KeyObject) => Promise<T>,
): Promise<T> {
  const { item } = await usable(domain, keyId, use, now)
  const material = await openMaterial({ domain, caller: undefined, now }, item)
  try {
    return await work(asKeyObject(material))
  } finally {
    material.bytes.destroy()
  }
}
