import { patched } from '../../base/fields.ts'
import type { CommonFields } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { newKek } from '../../endpoint/kek.ts'
import { leadToEndpoint } from '../../store/owner.ts'
import { assertNameFree } from '../../resource/records.ts'
import type { CreateKaclsEndpoint } from './model.ts'
import { providersOf } from './providers.ts'
import { KACLS_KEK, kaclsEndpointKind } from './records.ts'
import { newSigningKey } from './signing-key.ts'
import { KACLS_OWNER, type StoredKaclsEndpoint } from './store.ts'

/**
 * A new endpoint over a newly created local key.
 * @throws Refusal NAME_TAKEN, NOT_FOUND for an issuer, RULE_BROKEN, TOO_MANY_REQUESTS
 */
export async function newEndpoint(
  context: Context,
  body: CreateKaclsEndpoint,
  common: CommonFields,
): Promise<StoredKaclsEndpoint> {
  const { caller, changes } = context
  const { issuer, endpoint_url: own_url, name, endpoint_url_hostname, authenticationAud, allow_guest_access } = body
  await assertNameFree(kaclsEndpointKind, context, name)
  const providers = await providersOf(context, issuer)
  const { id } = common
  const signing = await newSigningKey(context, id)
  const kek = await newKek(context, `kacls-${id}`, KACLS_KEK)
  leadToEndpoint(changes, KACLS_OWNER, caller.domain.id, id)
  const endpoint: StoredKaclsEndpoint = {
    ...common,
    name,
    endpoint_url_hostname,
    authenticationAud,
    ...providers,
    kekName: kek.name,
    kekID: kek.id,
    kek_version: String(kek.version),
    allow_guest_access,
    allow_privileged_unwrap: false,
    status: 'Enabled',
    signing_keys: [signing.key],
    sealed: signing.sealed,
    own_key: kek.isNew,
  }
  const { authorizationAud, cors, meta } = body
  return patched(endpoint, { own_url, authorizationAud, cors, meta })
}
