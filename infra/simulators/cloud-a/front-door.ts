import type * as http from 'node:http'
import { delay } from '../toolkit/fault-rules.ts'
import { ServiceError, readBody } from '../toolkit/aws/json-service.ts'
import type { RequestLog } from '../toolkit/request-log.ts'
import { authenticate } from './authentication.ts'
import type { Call } from './call.ts'
import type { Caller } from './caller.ts'
import { refuseBy, throttled } from './faults.ts'
import type { CloudFault, Faults, SimulatedCall } from './faults.ts'
import type { Input } from '../toolkit/aws/input.ts'
import { jsonProtocol } from './protocols.ts'
import type { Answer, Protocol } from './protocols.ts'
import type { RateLimiter } from './rates.ts'
import { unknownOperation } from './refusals.ts'
import { withoutSecrets } from './secret-members.ts'
import { BY_PATH, BY_TARGET, BY_VERSION } from './services.ts'
import type { Service } from './services.ts'
import type { SignedRequest } from '../toolkit/aws/sigv4.ts'
import { onTrail } from './trail.ts'

/** What a request passes through on its way. */
export interface House extends Pick<Call, 'state' | 'accounts' | 'clusters' | 'proxies' | 'trail'> {
  readonly faults: Faults
  readonly rates: RateLimiter
  readonly log: RequestLog<SimulatedCall>
}

/** What becomes of a connection that gets no answer. */
type Silence = 'cut' | 'hang'

/** What a request asks for, before anybody looked at who asks. */
interface Wanted {
  readonly service: Service | undefined
  readonly serviceName: string
  readonly operation: string
  readonly protocol: Protocol
}

/** Takes every request to the simulated cloud, whichever service it is for. */
export async function serve(house: House, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const body = await readBody(request)
  const { method = '', url = '/', headers } = request
  const answer = await handle(house, { method, url, headers, body })
  if (answer === 'hang') return
  if (answer === 'cut') {
    response.destroy()
    return
  }
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) })
  response.end(answer.body)
}

async function handle(house: House, request: SignedRequest): Promise<Answer | Silence> {
  const wanted = wantedBy(request)
  const { protocol } = wanted
  const requestId = crypto.randomUUID()
  let refused: (name: string) => void = () => undefined
  try {
    const { caller, input, call, refusal } = look(house, request, wanted)
    refused = house.log.note(call)
    if (refusal !== undefined) throw refusal
    const userAgent = request.headers['user-agent'] ?? ''
    return await perform(house, wanted, { caller, input, call, requestId, userAgent })
  } catch (error) {
    const known =
      error instanceof ServiceError
        ? error
        : new ServiceError('InternalFailure', error instanceof Error ? error.message : String(error), 500)
    refused(known.type)
    return protocol.refuse(known, requestId)
  }
}

function wantedBy({ method, url, headers, body }: SignedRequest): Wanted {
  const [serviceName = '', name] = String(headers['x-amz-target'] ?? '').split('.')
  if (name !== undefined) {
    const service = BY_TARGET.get(serviceName)
    return { service, serviceName: service?.name ?? serviceName, operation: name, protocol: protocolOf(service) }
  }
  const form = new URLSearchParams(body.toString('utf8'))
  const service = BY_VERSION.get(form.get('Version') ?? '')
  if (service !== undefined && method === 'POST') {
    return { service, serviceName: service.name, operation: form.get('Action') ?? '', protocol: service.protocol }
  }
  const found = method === 'POST' ? BY_PATH.get(new URL(url, 'http://host').pathname) : undefined
  const operation = found?.operation ?? `${method} ${url}`
  return {
    service: found?.service,
    serviceName: found?.service.name ?? '',
    operation,
    protocol: protocolOf(found?.service),
  }
}

const protocolOf = (service: Service | undefined): Protocol => service?.protocol ?? jsonProtocol({})

/** What the request is and who sent it, with the refusal if either is not as it should be. */
function look(house: House, request: SignedRequest, { service, serviceName, operation, protocol }: Wanted) {
  let input: Input = {}
  let caller: Caller | undefined
  let refusal: ServiceError | undefined
  try {
    input = protocol.read(request.body)
    if (service === undefined || !Object.hasOwn(service.operations, operation)) {
      throw unknownOperation(`${serviceName} ${operation}`)
    }
    caller = authenticate(house, request, service.name)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    refusal = error
  }
  const call: SimulatedCall = {
    service: serviceName,
    operation,
    region: caller?.region,
    account: caller?.account.id,
    principal: caller?.principalArn,
    input: withoutSecrets(input),
  }
  return { caller, input, call, refusal }
}

interface Arrived {
  readonly caller: Caller | undefined
  readonly input: Input
  readonly call: SimulatedCall
  readonly requestId: string
  readonly userAgent: string
}

async function perform(
  house: House,
  { service, operation, protocol }: Wanted,
  { caller, input, call, requestId, userAgent }: Arrived,
): Promise<Answer | Silence> {
  const run = service?.operations[operation]
  if (run === undefined || caller === undefined) throw unknownOperation(operation)
  const { faults, rates } = house
  const rules = faults.strike(call, input)
  const struck = (fault: CloudFault['fault']) => rules.some((rule) => rule.fault === fault)
  if (struck('hang')) return 'hang'
  await delay(rules)
  if (struck('cut-before')) return 'cut'
  const emptyPage = struck('empty-page')
  const output = await onTrail(
    house.state,
    house.trail,
    { caller, service: service?.name ?? '', operation, input, requestId, userAgent },
    () => {
      refuseBy(rules)
      if (!rates.allows(operation, caller.account.id, caller.region)) throw throttled()
      return run({ ...house, requestId, operation, caller, emptyPage }, input)
    },
  )
  for (const rule of rules) if (rule.fault === 'observe') await rule.after(call)
  if (struck('cut-after')) return 'cut'
  const answer = protocol.answer(operation, output, requestId)
  return struck('bad-json') ? { ...answer, body: answer.body.slice(0, -1) + '<' } : answer
}
