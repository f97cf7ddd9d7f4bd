import { base64In } from '../../base/base64.ts'
import { notThere, Refusal } from '../../base/errors.ts'
import { loadedOf } from '../../base/room.ts'
import { asKeyObject } from '../../crypto/key-material.ts'
import type { Context } from '../../http/context.ts'
import { recordCanaryUse } from '../keys/canary/use.ts'
import { assertUsable, keyAsOf } from '../keys/lifecycle/key-state.ts'
import { findKey, versionNumbered } from '../keys/lists/find-key.ts'
import { openToProve } from '../keys/material/material.ts'
import { localKeys, type StoredLocalKey } from '../keys/store.ts'
import type { Inspector, Maker, Openers, Parts, Search } from './inspector.ts'
import type { InspectCiphertext, Inspection } from './model.ts'

/** Ours: takes a second or two; a domain with more keys names the endpoint. */
const MAKERS_MOST = 2_000
const NAMES_MOST = 20

const NOTHING = Buffer.alloc(0)

/** The parts of a body; `undefined` for parts that are not base64, which no protocol returns. */
export function partsOf(body: Omit<InspectCiphertext, 'endpoint' | 'key'>): Parts | undefined {
  const [iv, tag, metadata, aad] = [body.iv, body.tag, body.metadata, body.aad].map((text) =>
    text === undefined ? undefined : base64In(text),
  )
  const isWhole = [iv, tag, metadata, aad].every(
    (part, at) => part !== undefined || [body.iv, body.tag, body.metadata, body.aad][at] === undefined,
  )
  const text = body.ciphertext.trim()
  return isWhole ? { text, bytes: base64In(text) ?? NOTHING, iv, tag, metadata, aad } : undefined
}

/** The version of a local key that may have made the parts. */
async function versionOf(domain: string, { local }: Maker): Promise<StoredLocalKey | undefined> {
  const found = await ('id' in local
    ? localKeys.get(domain, local.id)
    : versionNumbered(domain, local.name, local.version))
  return found?.item
}

type Proof = NonNullable<Inspection['proof']>

/** A maker with its version, and how sure it is. */
interface Found {
  readonly maker: Maker
  readonly version: StoredLocalKey
  readonly proof: Proof
}

async function isProven(domain: string, maker: Maker, version: StoredLocalKey): Promise<boolean | undefined> {
  if (version.sealed === undefined) return undefined
  if (version.xts) return false
  const material = await openToProve(domain, version)
  try {
    return maker.proves(asKeyObject(material), version)
  } finally {
    material.bytes.destroy()
  }
}

/**
 * Whether this version made the parts. Without proof, the header of the parts decides, and only about an endpoint or key
 * that the caller named: a version number fits many keys.
 */
async function tried({ context, endpoint, key }: Search, wanted: string | undefined, maker: Maker) {
  const domain = context.caller.domain.id
  const version = await versionOf(domain, maker)
  if (version === undefined || (wanted !== undefined && version.name !== wanted)) return undefined
  const proven = await isProven(domain, maker, version)
  if (proven === true) return { maker, version, proof: 'authenticated' } satisfies Found
  const isNamed = (endpoint ?? key) !== undefined
  return proven === undefined && isNamed && maker.isInHeader
    ? ({ maker, version, proof: 'header' } satisfies Found)
    : undefined
}

/**
 * The first proven maker, or else the first that the header names. Every maker is tried in the same way.
 * @throws Refusal RULE_BROKEN for more keys than one call may try
 */
async function found(search: Search, inspectors: readonly Inspector[]) {
  const { context, key } = search
  const wanted = key === undefined ? undefined : (await findKey(context, key)).item.name
  let named: (Found & { readonly kind: string }) | undefined
  let count = 0
  for (const { kind, makers } of inspectors)
    for await (const page of makers(search)) {
      count += page.length
      if (count > MAKERS_MOST)
        throw new Refusal(
          'RULE_BROKEN',
          `More than ${MAKERS_MOST} key versions could have made it: name the endpoint.`,
          {
            errors: [{ pointer: '#/endpoint', detail: 'is required in a domain with so many keys' }],
          },
        )
      const results = await Promise.all(page.map((maker) => tried(search, wanted, maker)))
      for (const result of results) {
        if (result?.proof === 'authenticated') return { kind, ...result }
        if (result !== undefined) named ??= { kind, ...result }
      }
    }
  return named
}

function obstaclesOf({ usage }: Maker, version: StoredLocalKey, now: Date): string[] {
  if (keyAsOf(version, now).sealed === undefined)
    return [`The version ${version.version} of the key ${version.name} has no material.`]
  try {
    assertUsable(version, 'process', now)
  } catch (error) {
    if (error instanceof Refusal) return [error.message]
    throw error
  }
  return usage === undefined || (version.usageMask & usage) !== 0
    ? []
    : [`The usageMask of the key ${version.name} does not allow it.`]
}

const shortened = ({ kind, names }: Openers) => ({ kind, names: names.slice(0, NAMES_MOST), total: names.length })

/**
 * Which key, version and endpoint of the caller's domain made a ciphertext, and whether and for whom the service would
 * open it now. The content is opened to authenticate it, zeroed, and never returned.
 * @throws Refusal NOT_FOUND for bytes of a known form that no key of the domain made, whether those of another domain or
 * of nobody; RULE_BROKEN
 */
export async function inspectCiphertext(context: Context, body: InspectCiphertext): Promise<Inspection> {
  const { caller, now } = context
  const parts = partsOf(body)
  const inspectors = parts ? (await loadedOf('inspect')).filter(({ hasForm }) => hasForm(parts, body.key)) : []
  if (parts === undefined || inspectors.length === 0) return { recognized: false }
  const search: Search = { context, parts, endpoint: body.endpoint, key: body.key }
  const result = await found(search, inspectors)
  if (result === undefined) throw notThere('No key of this domain is known to have made this ciphertext.')
  const { kind, maker, version, proof } = result
  const { endpoint, key } = maker
  context.about({ ...endpoint, after: { inspected: kind, proof, local_key: version.uri } })
  if (proof === 'authenticated') recordCanaryUse(context, version, 'DecryptWithKey')
  const obstacles = [...obstaclesOf(maker, version, now), ...(await maker.obstacles(version))]
  const { id, uri, name, latest } = version
  return {
    recognized: true,
    kind,
    proof,
    domain: { id: caller.domain.id, name: caller.domain.name },
    endpoint,
    ...(key && { key }),
    local_key: { id, uri, name, version: version.version, state: keyAsOf(version, now).state, latest },
    can_be_opened: obstacles.length === 0,
    obstacles,
    opened_by: (await maker.openers()).filter(({ names }) => names.length > 0).map(shortened),
  }
}
