import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Context as LambdaContext } from 'aws-lambda'
import { parseTarget, toEvent } from '../../infra/local/gateway/gateway-event.ts'
import type { HttpHandler } from '../../shared/http/request/call.ts'

/** Serves a handler in this process over HTTP, as the gateway serves those of a deployment. */
export async function serveHere(handler: HttpHandler): Promise<{ readonly base: string; readonly stop: () => void }> {
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const target = parseTarget(request.url ?? '/')
    if (target === undefined) throw new Error('The target is no path')
    const event = toEvent(request, target, { functionName: 'here', key: '$default' }, await buffer(request), new Date())
    const { statusCode, headers, body, isBase64Encoded } = await handler(event, {} as LambdaContext)
    response.writeHead(statusCode, headers)
    response.end(Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8'))
  }
  const server = http.createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, stop: () => server.close() }
}
