import { constants, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import * as z from 'zod'
import { DkeEndpoint } from '../../../../shared/endpoints/dke/model.ts'
import type { CloudStory, Demo } from '../demo.ts'
import { remove } from '../demo.ts'
import { assertTold } from '../failure.ts'

const ENDPOINTS = '/v1/keymgr/docsuite/dke/endpoints'
const HOST = 'dke.example.test'

const Endpoints = z.object({
  endpoint: z.string(),
  people: z.array(z.object({ tenant_id: z.string(), upn: z.string(), password: z.string() })).min(1),
})
type Person = z.infer<typeof Endpoints>['people'][number]

const PublicKey = z.object({ key: z.object({ n: z.string(), e: z.number(), kid: z.string() }) })

/** A document that only people of one tenant can open, and only with a key that stays here. */
export const docsuiteStory = (demo: Demo): CloudStory => ({
  work: async () => {
    const { narrator, passSeconds } = demo
    // Ours: deleting an endpoint keeps its key, so that its documents are not lost.
    if (passSeconds === undefined)
      return narrator.note("DKE is shown on a service of the demo's own, because the key of an endpoint stays behind.")
    const { endpoint: platform, people } = Endpoints.parse(demo.endpoints())
    const [reader] = people
    if (reader === undefined) return
    narrator.step('DKE: make an endpoint whose documents the people of one tenant open')
    const endpoint = await makeEndpoint(demo, reader)
    narrator.step('DKE: protect a document as its author does, and open it as a reader does')
    await openDocument(demo, endpoint, { platform, reader })
  },
  audited: [],
})

async function makeEndpoint(demo: Demo, { tenant_id }: Person): Promise<DkeEndpoint> {
  const { service, undo, name } = demo
  const endpoint = await service.call('POST', ENDPOINTS, {
    body: {
      name: `${name}-dke`,
      key_uri_hostname: HOST,
      auth_tenants: [tenant_id],
      authorization_params: {
        authorization_type: 'email',
        email_authz_params: { authorized_email_addresses: ['*@shop.example.test'] },
      },
    },
    answers: DkeEndpoint,
    shows: ({ key_uri, kek_version, status }) => ({ key_uri, kek_version, status }),
  })
  undo.push(() => remove(demo, `${ENDPOINTS}/${endpoint.id}`))
  return endpoint
}

/** The token that the reader's client gets from the identity platform. */
async function tokenOf(platform: string, { tenant_id, upn, password }: Person): Promise<string> {
  const form = { grant_type: 'password', username: upn, password, scope: `https://${HOST}/.default` }
  const answered = await fetch(`${platform}/${tenant_id}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  return z.object({ access_token: z.string() }).parse(await answered.json()).access_token
}

const base64url = (text: string): string => Buffer.from(text, 'base64').toString('base64url')

async function openDocument(
  { service, narrator }: Demo,
  { key_uri }: DkeEndpoint,
  { platform, reader }: { readonly platform: string; readonly reader: Person },
): Promise<void> {
  const pathOf = (uri: string): string => new URL(uri).pathname.replace(/^\/api/, '')
  const { key } = await service.call('GET', pathOf(key_uri), {
    answers: PublicKey,
    shows: ({ key: { kid } }) => ({ kid }),
  })
  const contentKey = randomBytes(32)
  const jwk = { kty: 'RSA', n: base64url(key.n), e: Buffer.from([1, 0, 1]).toString('base64url') }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  const value = publicEncrypt({ key: publicKey, ...padding }, contentKey).toString('base64')
  narrator.note('The key of the document was encrypted with the public key, outside the service.')
  const opened = await service.call('POST', `${pathOf(key.kid)}/decrypt`, {
    bearer: await tokenOf(platform, reader),
    body: { alg: 'RSA-OAEP-256', value },
    answers: z.object({ value: z.string() }),
    shows: () => ({ value: '(hidden)' }),
  })
  assertTold(opened.value === contentKey.toString('base64'), "the reader has the document's key")
}
