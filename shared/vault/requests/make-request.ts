import { createPublicKey } from 'node:crypto'
import { Refusal, refusedWithin, ruleBroken } from '../../base/errors.ts'
import { asKeyObject, type KeyMaterial } from '../../crypto/key-material.ts'
import { USAGE } from '../../crypto/usage.ts'
import { makeRequest } from '../../crypto/x509/request.ts'
import { requireCertifiable } from '../../crypto/x509/signed.ts'
import { alsoRecorded } from '../../http/audit/also-recorded.ts'
import type { Context } from '../../http/context.ts'
import { namesOf } from '../../http/subject-names.ts'
import { createKey } from '../keys/lifecycle/create-key.ts'
import { findNamedKey } from '../keys/lists/find-key.ts'
import { assertMayLend, lend, type LentUse } from '../keys/material/lend.ts'
import { pointingAt } from '../keys/material/material.ts'
import type { CreateLocalKey } from '../keys/model.ts'
import type { MadeKeyCsr, MakeKeyCsr } from './model.ts'

/** A request is signed with its key, which must be allowed to sign data or certificates. */
const SIGNS: LentUse = {
  use: 'protect',
  bits: USAGE.sign | USAGE.certificateSign,
  permission: 'SignWithKey',
  verb: 'sign',
}

/** The names of the new key in the body; a taken one is refused at the commit. */
const NAMED_AT = { name: '#/keyGenParams/name', aliases: '#/keyGenParams/aliases' }

type Names = ReturnType<typeof namesOf>

/** @throws Refusal RULE_BROKEN for a key that cannot be certified, or for invalid names */
async function requestFor({ subject, altNames }: Names, material: KeyMaterial, pointer: string): Promise<string> {
  if (material.objectType !== 'Private Key')
    throw new Refusal('RULE_BROKEN', 'A request is signed by a private key.', {
      errors: [{ pointer, detail: 'must be a private key, RSA or EC' }],
    })
  const key = asKeyObject(material)
  await pointingAt(pointer, () => requireCertifiable(createPublicKey(key)))
  return pointingAt('#/csrParams', () => makeRequest(subject, altNames, key))
}

async function ofExistingKey(context: Context, names: Names, reference: string): Promise<MadeKeyCsr> {
  const { item } = await findNamedKey(context, reference, {}, { pointer: '#/keyID', detail: 'is not there' })
  context.about({ uri: item.uri, name: item.name })
  const csr = await lend(context, item, { ...SIGNS, field: 'keyID' }, (key) => requestFor(names, key, '#/keyID'))
  return { csr, keyID: item.id }
}

/** Ours: the key has an audit record of its own, as if it had been created separately. */
async function ofNewKey(context: Context, names: Names, body: CreateLocalKey): Promise<MadeKeyCsr> {
  const own: Context = {
    ...context,
    about: (subject) => {
      context.about({ uri: subject.uri, name: subject.name })
      const action = `part of ${context.summary}`
      alsoRecorded(context, { service: 'vault', message: 'Create Key', action, subject })
    },
  }
  const made: string[] = []
  const { id } = await createKey(own, body, false, {
    lend: async (key, record) => {
      made.push(await requestFor(names, key, '#/algorithm'))
      assertMayLend(context, record, { ...SIGNS, field: 'usageMask' })
    },
    namedAt: NAMED_AT,
  }).catch((error: unknown) => {
    throw error instanceof Refusal ? inNewKey(error) : error
  })
  const [csr] = made
  if (csr === undefined) throw ruleBroken('keyGenParams', 'must make a key')
  return { csr, keyID: id }
}

/** Points a refusal of the new key into its fields; a refusal of names stays as it is. */
const inNewKey = (refusal: Refusal): Refusal =>
  refusal.errors.some((error) => 'pointer' in error && error.pointer === '#/csrParams')
    ? refusal
    : refusedWithin('keyGenParams', refusal)

/**
 * Creates a certificate request that an existing key signs, or a new one, which is stored with it.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, USAGE_DENIED, STATE_CONFLICT for a key that may not sign; RULE_BROKEN for
 * one that cannot be certified, or for names; refusals of the creation of a key, pointing into `keyGenParams`
 */
export async function makeKeyCsr(
  context: Context,
  { csrParams, keyID, keyGenParams }: MakeKeyCsr,
): Promise<MadeKeyCsr> {
  const names = namesOf(csrParams)
  if (keyGenParams !== undefined) return ofNewKey(context, names, keyGenParams)
  return ofExistingKey(context, names, keyID ?? '')
}
