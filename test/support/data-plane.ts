import type { Vault } from '../functions/vault/vault.ts'
import { logRecords, type LineCount } from './log-records.ts'
import { raw } from './raw.ts'

/** Answer of a data plane. */
export interface PlaneAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** the answer's JSON */
  readonly body: any
}

/** A data plane of a deployment, as callers of its protocol reach it. */
export abstract class DataPlaneTests {
  readonly vault: Vault
  /** name of its function */
  protected abstract readonly plane: string
  /** host name in requests */
  protected abstract readonly host: string

  constructor(vault: Vault) {
    this.vault = vault
  }

  /** Advances the clock by five seconds, so that cached data of an endpoint is read again. */
  letPass(): void {
    this.vault.advance(5_001)
  }

  /** Sends one request like a client of the protocol. @param body sent as JSON, a string unchanged */
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

  /** Waits for this number of log lines of the data plane with these fields. */
  lines(count: LineCount, fields: object): Promise<any[]> {
    return logRecords(this.vault.service.deployment, this.plane, count, fields)
  }
}
