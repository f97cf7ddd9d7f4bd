import type { Reply } from '../wire/arrived.ts'
import { attributesIn, describeAttributes, describeTags, tagsIn } from '../vaults/attributes.ts'
import { textAt } from '../wire/body.ts'
import { badParameter, forbidden } from '../wire/errors.ts'
import { asNew, joined, live, requireUnmanaged, versionIn } from '../vaults/found.ts'
import { latest, type HeldSecret, type SecretVersion } from '../vaults/held.ts'
import { listLive, listVersions } from '../vaults/lists.ts'
import { newId } from '../state/passing-time.ts'
import { identifier, ok, routesOf, type VaultCall, type VaultRoute } from '../vaults/vault-call.ts'
import { deletionRoutes } from '../vaults/deletion.ts'

const VALUE_BYTES_MOST = 25_600
const CONTENT_TYPE_MOST = 255

/** Everything but the value, which only a few answers include. */
const described = ({ vault }: VaultCall, secret: HeldSecret, version: SecretVersion, id?: string): object => ({
  id: identifier(vault, 'secrets', secret.name, id),
  ...(version.contentType !== undefined && { contentType: version.contentType }),
  ...(secret.managed === true && { managed: true }),
  attributes: describeAttributes(vault, version),
  ...describeTags(version),
})

const unvalued = (call: VaultCall, secret: HeldSecret, version: SecretVersion): object => ({
  ...described(call, secret, version, version.id),
  ...(secret.managed === true && { kid: identifier(call.vault, 'keys', secret.name, version.id) }),
})

function contentTypeIn({ body }: VaultCall): string | undefined {
  const contentType = textAt(body, 'contentType')
  if ((contentType ?? '').length > CONTENT_TYPE_MOST)
    throw badParameter(`The contentType has more than ${CONTENT_TYPE_MOST} characters.`)
  return contentType
}

function set(call: VaultCall): Reply {
  const { state, vault, name, body } = call
  const before = joined(call, 'secrets', name)
  requireUnmanaged('secrets', before)
  const value = textAt(body, 'value')
  if (value === undefined) throw badParameter("Property 'value' is required.")
  if (Buffer.byteLength(value) > VALUE_BYTES_MOST)
    throw badParameter(`The value is larger than ${VALUE_BYTES_MOST} bytes.`)
  const now = state.now()
  const version: SecretVersion = {
    ...{ id: newId(), createdAt: now, updatedAt: now, value, contentType: contentTypeIn(call) },
    ...attributesIn(body),
    tags: tagsIn(body) ?? {},
  }
  const secret: HeldSecret = before ?? { vault: vault.name, name, versions: [], ...asNew(call) }
  secret.versions.push(version)
  state.save('secrets', [secret])
  return ok({ value, ...unvalued(call, secret, version) })
}

/** The validity period does not restrict reading: it informs the readers. */
function get(call: VaultCall): Reply {
  const secret = live(call, 'secrets', call.name)
  const version = versionIn('secrets', secret, call.version)
  if (!version.enabled) throw forbidden('Operation get is not allowed on a disabled secret.', 'SecretDisabled')
  return ok({ value: version.value, ...unvalued(call, secret, version) })
}

function update(call: VaultCall): Reply {
  const { state, body } = call
  const secret = live(call, 'secrets', call.name)
  requireUnmanaged('secrets', secret)
  const version = versionIn('secrets', secret, call.version)
  Object.assign(version, {
    ...attributesIn(body, version),
    tags: tagsIn(body) ?? version.tags,
    contentType: contentTypeIn(call) ?? version.contentType,
    updatedAt: state.now(),
  })
  state.save('secrets', [secret])
  return ok(unvalued(call, secret, version))
}

const item = (call: VaultCall, secret: HeldSecret): object => described(call, secret, latest(secret))

const { get: GET, put: PUT, patch: PATCH } = routesOf(true)

export const secretRoutes: readonly VaultRoute[] = [
  ...deletionRoutes('secrets', { bundle: (call, secret) => unvalued(call, secret, latest(secret)), item }),
  GET('SecretList', '/secrets', 'secrets/list', (call) => listLive(call, 'secrets', (secret) => item(call, secret))),
  GET('SecretListVersions', '/secrets/{name}/versions', 'secrets/list', (call) =>
    listVersions(call, 'secrets', (secret, version) => described(call, secret, version, version.id)),
  ),
  GET('SecretGet', '/secrets/{name}', 'secrets/get', get),
  GET('SecretGet', '/secrets/{name}/{version}', 'secrets/get', get),
  PUT('SecretSet', '/secrets/{name}', 'secrets/set', set),
  PATCH('SecretUpdate', '/secrets/{name}', 'secrets/set', update),
  PATCH('SecretUpdate', '/secrets/{name}/{version}', 'secrets/set', update),
]
