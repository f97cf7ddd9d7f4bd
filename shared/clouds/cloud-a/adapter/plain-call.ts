import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fieldsOf, textsOf } from '../../../base/json.ts'
import type { Address } from './endpoints.ts'

/** The cloud's error for a call made without an SDK client, named as the SDK names its errors. */
class ServiceFailure extends Error {
  readonly $metadata: { readonly httpStatusCode: number }

  constructor(name: string, message: string, httpStatusCode: number) {
    super(message)
    this.name = name
    this.$metadata = { httpStatusCode }
  }
}

/** The SDK's own request handler, whose type leaves request and response open. */
export interface Sender {
  handle(
    request: object,
    options: { readonly abortSignal: AbortSignal },
  ): Promise<{ response: { statusCode: number; headers: Readonly<Record<string, string>>; body: Readable } }>
}

/** An unsigned POST in the form that the SDK's signer and request handler accept. */
export function postTo({ endpoint }: Address, path: string, headers: Readonly<Record<string, string>>, body: string) {
  const { protocol, hostname, port, host } = new URL(endpoint)
  return {
    method: 'POST',
    protocol,
    hostname,
    ...(port !== '' && { port: Number(port) }),
    path,
    query: {},
    headers: { host, ...headers },
    body,
  }
}

/**
 * The name of a failure: in a header of the cloud's REST protocol, or in `__type` of its JSON protocols, possibly after
 * a namespace and `#`. The text after a colon is not part of it.
 */
function failureIn(
  reply: unknown,
  { statusCode, headers }: { statusCode: number; headers: Readonly<Record<string, string>> },
): ServiceFailure {
  const { __type, message, Message } = fieldsOf(reply)
  const [said = ''] = textsOf(headers['x-amzn-errortype'] ?? __type)
  const [name = ''] = said.slice(said.lastIndexOf('#') + 1).split(':')
  const [sentence = ''] = textsOf(message ?? Message)
  return new ServiceFailure(name, sentence, statusCode)
}

/** Sends a signed request. @returns the reply's JSON @throws ServiceFailure, and what the sender throws */
export async function sentBy(sender: Sender, request: object, abortSignal: AbortSignal): Promise<unknown> {
  const { response } = await sender.handle(request, { abortSignal })
  const reply: unknown = JSON.parse(await text(response.body))
  if (response.statusCode < 200 || response.statusCode > 299) throw failureIn(reply, response)
  return reply
}
