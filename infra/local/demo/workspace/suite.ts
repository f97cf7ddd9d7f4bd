import * as z from 'zod'

/** The suite's part of `endpoints.json`. */
export const Suite = z.object({
  endpoint: z.string(),
  openid_configuration_url: z.string(),
  people: z.array(z.object({ email: z.string(), password: z.string() })),
})
export type Suite = z.infer<typeof Suite>

/** The suite's client id at the identity provider. */
export const CLIENT_ID = 'workspace-client'
const FILE = '//googleapis.com/drive/files/demo'

/** The two tokens that a browser sends. */
export interface Tokens {
  readonly authentication: string
  readonly authorization: string
}

interface Wanted {
  readonly person: Suite['people'][number]
  /** the address of the key service that the suite's administrator has set */
  readonly kaclsUrl: string
  readonly role: 'writer' | 'reader'
}

/** Logs a person in at the identity provider, and requests the suite's authorization for a file, as browsers do. */
export async function tokensOf({ endpoint }: Suite, { person, kaclsUrl: kacls_url, role }: Wanted): Promise<Tokens> {
  const login = { grant_type: 'password', client_id: CLIENT_ID, username: person.email, password: person.password }
  const IdToken = z.object({ id_token: z.string() })
  const { id_token: authentication } = await post(`${endpoint}/idp/token`, new URLSearchParams(login), IdToken)
  const wanted = { authentication, application: 'drive', kacls_url, resource_name: FILE, role }
  const Authorization = z.object({ authorization: z.string() })
  const { authorization } = await post(`${endpoint}/authorization`, JSON.stringify(wanted), Authorization)
  return { authentication, authorization }
}

async function post<S extends z.ZodType>(
  address: string,
  body: URLSearchParams | string,
  answers: S,
): Promise<z.output<S>> {
  return answers.parse(await (await fetch(address, { method: 'POST', body })).json())
}
