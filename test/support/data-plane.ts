import type { Vault } from '../functions/vault/vault.ts'
import { raw } from './raw.ts'

/** Answer of a data plane. */
export interface PlaneAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** the JSON that the answer has */
  readonly body: any
}

/** A data plane of a deployment, as the callers of its protocol meet it. */
export abstract class DataPlaneTests {
  readonly vault: Vault
  /** name of its function */
  protected abstract readonly plane: string
  /** host that callers ask for */
  protected abstract readonly host: string

  constructor(vault: Vault) {
    this.vault = vault
  }

  /** Ages everything read of an endpoint by five seconds. */
  letPass(): void {
    this.vault.advance(5_001)
  }

  /** One request as a client of the protocol sends it. @param body sent as JSON, a string as it stands */
  async send(method: string, target: string, body?: unknown, headers: object = {}): Promise<PlaneAnswer> {
    const answered = await raw(this.vault.service.deployment.baseUrl, {
      method,
      target,
      headers: { host: this.host, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = answered.bytes.toString()
    const isJson = answered.headers['content-type']?.includes('json') === true && text !== ''
    return { status: answered.status, headers: answered.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }

  /** Lines the data plane left, those with these fields. */
  lines(fields: object): any[] {
    return this.vault.service.deployment
      .logs()
      .filter(({ source, text }) => source === this.plane && text.startsWith('{'))
      .map(({ text }) => JSON.parse(text))
      .filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value))
  }
}
