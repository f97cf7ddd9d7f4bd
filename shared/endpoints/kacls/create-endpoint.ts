import { patched } from '../../base/fields.ts'
import { commonFields, uuid } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { newKek } from '../../endpoint/kek.ts'
import { leadToEndpoint } from '../../store/owner.ts'
import { assertNameFree, stageNew } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { uriOfEndpoint } from './identifiers.ts'
import type { CreateKaclsEndpoint, KaclsEndpoint } from './model.ts'
import { providersOf } from './providers.ts'
import { KACLS_KEK, kaclsEndpointKind } from './records.ts'
import { newSigningKey } from './signing-key.ts'
import { KACLS_OWNER, type StoredKaclsEndpoint } from './store.ts'

/**
 * Creates an endpoint over a new local key of its own.
 * @throws Refusal NAME_TAKEN, NOT_FOUND for an issuer, RULE_BROKEN, TOO_MANY_REQUESTS
 */
export async function createEndpoint(context: Context, body: CreateKaclsEndpoint): Promise<Stored<KaclsEndpoint>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { issuer, endpoint_url: own_url, name, endpoint_url_hostname, authenticationAud, allow_guest_access } = body
  await assertNameFree(kaclsEndpointKind, context, name)
  const providers = await providersOf(context, issuer)
  // The id is the same when the request runs again: the signing key is made once, and sealed for it.
  const id = await context.once('kacls endpoint', () => Promise.resolve(uuid(now)))
  const signing = await newSigningKey(context, id)
  const kek = await newKek(context, `kacls-${id}`, KACLS_KEK)
  leadToEndpoint(changes, KACLS_OWNER, domain, id)
  const endpoint: StoredKaclsEndpoint = {
    ...commonFields(domain, id, uriOfEndpoint(domain, id), now),
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
  return stageNew(kaclsEndpointKind, context, patched(endpoint, { own_url, authorizationAud, cors, meta }))
}
