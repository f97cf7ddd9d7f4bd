/**
 * Runs one function's bundle in a thread of its own, in place of Lambda's Node runtime: imports the handler once,
 * receives events as JSON, answers with JSON. Unlike Lambda, which sends one event at a time to an instance, concurrent
 * calls interleave here: a bundle must not keep a request's state outside its call.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { faultOf, type CallMessage, type ReplyMessage, type WorkerSetup } from './function-messages.ts'

type Handler = (event: unknown, context: object) => unknown

const port = parentPort
if (port === null) throw new Error('This file runs as a worker thread.')
const setup = workerData as WorkerSetup

const loaded = import(setup.entry).then((bundle: { handler?: Handler }) => {
  if (typeof bundle.handler !== 'function') throw new Error(`${setup.name} exports no handler`)
  return bundle.handler
})
loaded.catch(() => undefined) // reported by each call

port.on('message', (call: CallMessage) => {
  answer(call).then(
    (reply) => port.postMessage(reply),
    (error: unknown) => port.postMessage({ id: call.id, fault: faultOf(error) } satisfies ReplyMessage),
  )
})

async function answer({ id, event, body, deadline }: CallMessage): Promise<ReplyMessage> {
  const handler = await loaded
  const context = {
    callbackWaitsForEmptyEventLoop: true,
    functionName: setup.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: setup.arn,
    memoryLimitInMB: String(setup.memoryMiB),
    awsRequestId: id,
    logGroupName: `/aws/lambda/${setup.name}`,
    logStreamName: setup.logStream,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  }
  const read: unknown = JSON.parse(event)
  const result = await handler(body === undefined ? read : { ...(read as object), body }, context)
  // `undefined` has no JSON; Lambda answers null for it
  return { id, result: JSON.stringify(result ?? null) }
}
