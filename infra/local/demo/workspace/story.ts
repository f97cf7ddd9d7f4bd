import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { Issuer } from '../../../../shared/endpoint/issuers/model.ts'
import { KaclsEndpoint } from '../../../../shared/endpoints/kacls/model.ts'
import type { CloudStory, Demo } from '../demo.ts'
import { remove } from '../demo.ts'
import { assertTold } from '../failure.ts'
import { CLIENT_ID, Suite, tokensOf } from './suite.ts'

const ISSUERS = '/v1/keymgr/WorkspaceCSE/issuers'
const ENDPOINTS = '/v1/keymgr/WorkspaceCSE/endpoints'
const HOST = 'kacls.example.test'
/** The data plane reads an endpoint again after this time. */
const NOTICED_SECONDS = 6

/**
 * A file that only the suite and this service together can open, for people whom a company's identity provider knows.
 */
export const workspaceStory = (demo: Demo): CloudStory => ({
  work: async () => {
    const { narrator, passSeconds } = demo
    // Ours: deleting an endpoint keeps its key, so that its files are not lost.
    if (passSeconds === undefined)
      return narrator.note(
        "KACLS is shown on a service of the demo's own, because the key of an endpoint stays behind.",
      )
    const suite = Suite.parse(demo.endpoints())
    narrator.step('KACLS: name the identity provider of a company, and make an endpoint for the files of its people')
    const endpoint = await makeEndpoint(demo, suite.openid_configuration_url)
    await shareFile(demo, suite, endpoint, () => passSeconds(NOTICED_SECONDS))
  },
  audited: [],
})

/** @param notice waits until the data plane has noticed a change */
async function shareFile(demo: Demo, suite: Suite, endpoint: KaclsEndpoint, notice: () => void): Promise<void> {
  const { narrator } = demo
  const [author, reader] = suite.people
  if (author === undefined || reader === undefined) return
  const kacls = dataPlane(demo, endpoint)
  const asReader = (person: typeof author) =>
    tokensOf(suite, { person, kaclsUrl: endpoint.endpoint_url, role: 'reader' })
  narrator.step("KACLS: wrap the key of a file as its author's browser does, and unwrap it as a reader's does")
  const toWrite = await tokensOf(suite, { person: author, kaclsUrl: endpoint.endpoint_url, role: 'writer' })
  const [byAuthor, byReader] = [await asReader(author), await asReader(reader)]
  const key = randomBytes(32).toString('base64')
  const { wrapped_key } = await kacls.wrap({ ...toWrite, key, reason: 'a new file' })
  const wrapped = { wrapped_key, reason: 'a file is read' }
  const opened = await kacls.unwrap({ ...byReader, ...wrapped })
  assertTold(opened.key === key, 'the reader has the key of the file')
  narrator.note('An authorization of another person does not open it.')
  await kacls.refusesUnwrap({ ...byReader, authorization: byAuthor.authorization, ...wrapped })
  narrator.step('KACLS: let in the people of a perimeter alone')
  await setPerimeter(demo, endpoint, author.email)
  notice()
  await kacls.refusesUnwrap({ ...byReader, ...wrapped })
  await kacls.unwrap({ ...byAuthor, ...wrapped })
}

async function makeEndpoint(demo: Demo, openidConfigurationURL: string): Promise<KaclsEndpoint> {
  const { service, undo, name } = demo
  const issuer = await service.call('POST', ISSUERS, {
    body: { name: `${name}-idp`, openidConfigurationURL },
    answers: Issuer,
    shows: ({ iss }) => ({ iss }),
  })
  undo.push(() => remove(demo, `${ISSUERS}/${issuer.id}`))
  const endpoint = await service.call('POST', ENDPOINTS, {
    body: {
      name: `${name}-kacls`,
      endpoint_url_hostname: HOST,
      issuer: [issuer.id],
      authenticationAud: [CLIENT_ID],
    },
    answers: KaclsEndpoint,
    shows: ({ endpoint_url, kek_version, status }) => ({ endpoint_url, kek_version, status }),
  })
  undo.push(() => remove(demo, `${ENDPOINTS}/${endpoint.id}`))
  return endpoint
}

/** Calls of browsers. They have no token of this service; the person's tokens are in the body. */
function dataPlane({ service }: Demo, { id }: KaclsEndpoint) {
  const browser = service.withoutToken()
  const at = `${ENDPOINTS}/${id}`
  return {
    wrap: (body: object) =>
      browser.call('POST', `${at}/wrap`, {
        body,
        answers: z.object({ wrapped_key: z.string() }),
        shows: ({ wrapped_key }) => ({ wrapped_key: `${wrapped_key.slice(0, 16)}…` }),
      }),
    unwrap: (body: object) =>
      browser.call('POST', `${at}/unwrap`, {
        body,
        answers: z.object({ key: z.string() }),
        shows: () => ({ key: '(hidden)' }),
      }),
    refusesUnwrap: (body: object) => browser.refused('POST', `${at}/unwrap`, 403, body),
  }
}

/** Admits one person only. */
const setPerimeter = ({ service }: Demo, { id }: KaclsEndpoint, email: string): Promise<string> =>
  service.call('PATCH', `${ENDPOINTS}/${id}/perimeters`, {
    body: `package perimeter

import rego.v1

default allow := false

people := {"${email}"}

allow if {
	lower(input.authentication.email) == lower(input.authorization.email)
	lower(input.authentication.email) in people
}
`,
    answers: z.string(),
    shows: (text) => ({ lines: text.split('\n').length }),
  })
