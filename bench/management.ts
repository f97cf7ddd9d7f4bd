import type { Deployment } from '../infra/local/deployment.ts'
import { PASSWORD } from './service.ts'

type Body = Record<string, unknown>

/** Management calls of the administrator. Each logs in again, because the clock may have been moved far ahead. */
export function callsOf({ baseUrl, administrator }: Deployment) {
  const send = async (method: string, path: string, body?: object, token?: unknown): Promise<Body> => {
    const response = await fetch(`${baseUrl}/api${path}`, {
      method,
      headers: {
        ...(typeof token === 'string' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Body
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }
  return async (method: string, path: string, body?: object): Promise<Body> => {
    const { jwt } = await send('POST', '/v1/auth/tokens', { name: administrator, password: PASSWORD })
    return send(method, path, body, jwt)
  }
}
