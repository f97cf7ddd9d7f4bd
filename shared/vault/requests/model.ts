import * as z from 'zod'
import { NameOrId } from '../../http/common-fields.ts'
import { atMostOne, rulesWithin, withRules } from '../../http/rules.ts'
import { fewAlternatives, nameFields } from '../../http/subject-names.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'
import { ALGORITHM_RULES } from '../keys/record/algorithm-rules.ts'
import { ID_RULES } from '../keys/record/alternative-ids.ts'
import { CreateLocalKey, DATE_RULES } from '../keys/model.ts'

/** A new key for a request: the fields of a generated key, which starts as active. */
const NewKey = CreateLocalKey.omit({
  objectType: true,
  material: true,
  format: true,
  encoding: true,
  password: true,
  emptyMaterial: true,
  state: true,
  xts: true,
  wrapKeyName: true,
  wrapKeyIDType: true,
  wrappingMethod: true,
  wrappingEncryptionAlgo: true,
  wrapPublicKeyPadding: true,
  macSignature: true,
})

const NEW_KEY = 'keyGenParams'

export const MakeKeyCsr = withRules(
  strictObject(() => ({
    csrParams: z.strictObject(nameFields),
    keyID: NameOrId.optional().meta({ description: 'id, name, alias or uri of a private key' }),
    keyGenParams: NewKey.optional().meta({ description: 'a new key: its algorithm is rsa or ec' }),
  })),
  ...rulesWithin('csrParams', [fewAlternatives]),
  ...rulesWithin(NEW_KEY, [...DATE_RULES, ...ID_RULES]),
  ...rulesWithin(NEW_KEY, ALGORITHM_RULES),
  atMostOne('keyID', NEW_KEY),
  {
    message: `one of keyID and ${NEW_KEY} must be given`,
    field: 'keyID',
    broken: ({ keyID, keyGenParams }) => keyID === undefined && keyGenParams === undefined,
  },
)
export type MakeKeyCsr = z.infer<typeof MakeKeyCsr>

/** A request, and its key. */
export const MadeKeyCsr = object(() => ({
  csr: z.string().meta({ description: 'PEM' }),
  keyID: z.string().meta({ description: 'id of the version of the key' }),
}))
export type MadeKeyCsr = z.infer<typeof MadeKeyCsr>
