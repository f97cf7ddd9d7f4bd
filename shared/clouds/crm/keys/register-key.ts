import { notThere } from '../../../base/errors.ts'
import { MADE } from '../../../cloud/contract.ts'
import { cleanUp, creationOf, type Creation, type MadeKey } from '../../../cloud/keys/creation.ts'
import type { KeySaga } from '../../../cloud/keys/kind.ts'
import { reach } from '../../../cloud/keys/place.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { crm } from '../adapter.ts'
import { certificateFor } from '../certificates/certificates.ts'
import { crmEndpoints } from '../key-endpoints/store.ts'
import { newSecret, organizationFor, sourceNamed } from './create-secret.ts'
import { servedKeyId } from './kid.ts'
import { secretKind, type SecretTypes } from './kind.ts'
import type { CrmSecret, UploadCacheOnlyKey } from './model.ts'
import { beginServing, kidTaken } from './served-key.ts'
import { crmServedKeys } from './store.ts'

/** A cache-only key to register. */
interface Registration extends Creation<SecretTypes> {
  readonly local_key_id: string
  readonly kid: string
  readonly named_credential_id: string
  /** unique name of the certificate */
  readonly certificate: string
}

/** Stages that endpoints no longer serve a key that the cloud did not register. */
async function stopServing({ caller, changes }: Context, { id, home, kid }: Registration): Promise<void> {
  const stored = await crmServedKeys.get(caller.domain.id, servedKeyId(home.container, kid))
  if (stored?.item.key_id === id) changes.remove(crmServedKeys, caller.domain.id, stored)
}

/** Registers a cache-only key. The cloud fetches it while its answer is awaited, so it is served before. */
export const registeringKey: KeySaga<SecretTypes, Registration, MadeKey<SecretTypes>> = {
  ...creationOf('register-crm-cache-only-key', secretKind),
  run: async (context, creation, journal) => {
    const { id, home, spec, kid, local_key_id, certificate, named_credential_id } = creation
    const place = await reach(secretKind, context, home)
    const key = await crm.certificateKey(place, certificate)
    // before the first request: a later run finds its own secret
    await journal.step('free', async () => {
      if ((await crm.registered(place, kid)) !== undefined) throw kidTaken(kid)
      return true
    })
    const served = {
      id: servedKeyId(home.container, kid),
      organization_id: home.container,
      kid,
      key_id: id,
      local_key_id,
      public_key: key.toString('base64'),
      destroyed: false,
    }
    await beginServing(context.caller.domain.id, served, context.now)
    const { type, description } = spec
    const ref = await journal.step(
      MADE,
      () => crm.register(place, { type, description, kid, named_credential_id, certificate }),
      async () => (await crm.registered(place, kid))?.ref,
    )
    const whole = await crm.read(place, ref)
    if (whole === undefined) throw notThere('The cloud no longer has the key that it registered.')
    return { ref, whole, localKeyId: local_key_id }
  },
  undo: async (context, creation, journal) => {
    if (journal.noted(MADE) === undefined) await stopServing(context, creation)
    else await cleanUp(secretKind, context, creation, journal)
  },
}

/** @throws Refusal NOT_FOUND, also for an endpoint of another organization */
async function assertEndpoint({ caller, changes }: Context, id: string, organization: string): Promise<void> {
  const stored = await crmEndpoints.get(caller.domain.id, id)
  if (stored?.item.organization_id !== organization)
    throw notThere('The organization has no such key endpoint.', {
      pointer: '#/endpoint_id',
      detail: 'is no key endpoint of the organization',
    })
  changes.rely(crmEndpoints, caller.domain.id, stored)
}

/**
 * Registers a local key as a cache-only key: its material stays here, and the cloud fetches it from a key endpoint.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, UNEXPORTABLE, STATE_CONFLICT, NAME_TAKEN for a kid, RULE_BROKEN for a key or
 *   certificate that does not fit, and the cloud's own when it cannot fetch the key
 */
export const uploadCacheOnlyKey = (context: Context, body: UploadCacheOnlyKey): Promise<Stored<CrmSecret>> =>
  carryOut(context, registeringKey, async () => {
    const { type, name, description = name ?? '', certificate_id, endpoint_id, named_credential_id } = body
    const organization = await organizationFor(context, body.organization_id, 'keyupload')
    const certificate = await certificateFor(context, certificate_id, organization.id)
    await assertEndpoint(context, endpoint_id, organization.id)
    const source = await sourceNamed(context, body.source_key_identifier)
    const made = newSecret(context, organization, { name, certificate_id, endpoint_id, is_served: true })
    const kid = body.crm_param?.RemoteKeyIdentifier ?? made.id
    const taken = await crmServedKeys.get(context.caller.domain.id, servedKeyId(organization.id, kid))
    if (taken !== undefined) throw kidTaken(kid)
    const input: Registration = {
      ...made,
      spec: { type, description },
      kid,
      named_credential_id,
      certificate: certificate.name,
      local_key_id: source.id,
    }
    return { id: made.id, container: organization.id, input }
  })
