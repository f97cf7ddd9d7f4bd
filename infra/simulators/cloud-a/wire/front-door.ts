import { underFaults } from '../../toolkit/fault-rules.ts'
import type { HttpAnswer, HttpRequest, Silence } from '../../toolkit/loopback.ts'
import { asServiceError, ServiceError } from '../../toolkit/service-error.ts'
import type { RequestLog } from '../../toolkit/request-log.ts'
import { authenticate } from '../authentication/authentication.ts'
import type { Call } from './call.ts'
import type { Caller } from '../authentication/caller.ts'
import { refuseBy, throttled, type Faults, type SimulatedCall } from './faults.ts'
import type { Input } from '../../toolkit/aws/input.ts'
import { jsonProtocol, type Protocol } from './protocols.ts'
import type { RateLimiter } from './rates.ts'
import { unknownOperation } from './refusals.ts'
import { withoutSecrets } from '../logs/secret-members.ts'
import { onTrail } from '../logs/trail.ts'
import { BY_PATH, BY_TARGET, BY_VERSION, type Service } from './services.ts'

/** The parts of the simulator that a request passes through. */
export interface House extends Pick<Call, 'state' | 'accounts' | 'clusters' | 'proxies' | 'trail'> {
  readonly faults: Faults
  readonly rates: RateLimiter
  readonly log: RequestLog<SimulatedCall>
}

/** The operation of a request, before authentication. */
interface Wanted {
  readonly service: Service | undefined
  readonly serviceName: string
  readonly operation: string
  readonly protocol: Protocol
}

/** Answers a request to any service of the simulated cloud. */
export async function answer(house: House, request: HttpRequest): Promise<HttpAnswer | Silence> {
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
    const known = asServiceError(error)
    refused(known.type)
    return protocol.refuse(known, requestId)
  }
}

function wantedBy({ method, url, headers, body }: HttpRequest): Wanted {
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

/** An input's members may also be in the query. */
const queryOf = ({ url }: HttpRequest): Input => Object.fromEntries(new URL(url, 'http://host').searchParams)

/** Parses and authenticates a request. @returns the refusal, if either fails */
function look(house: House, request: HttpRequest, { service, serviceName, operation, protocol }: Wanted) {
  let input: Input = {}
  let caller: Caller | undefined
  let refusal: ServiceError | undefined
  try {
    input = { ...queryOf(request), ...protocol.read(request.body) }
    if (service === undefined || !Object.hasOwn(service.operations, operation)) {
      throw unknownOperation(`${serviceName} ${operation}`)
    }
    caller = service.authenticate?.(house, request, input) ?? authenticate(house, request, service.name)
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
): Promise<HttpAnswer | Silence> {
  const run = service?.operations[operation]
  if (run === undefined || caller === undefined) throw unknownOperation(operation)
  const { faults, rates, state, trail } = house
  const rules = faults.strike(call, input)
  return underFaults(rules, call, async (struck) => {
    const arrived = { caller, service: service?.name ?? '', operation, input, requestId, userAgent }
    const output = await onTrail(state, trail, arrived, () => {
      refuseBy(rules)
      if (!rates.allows(operation, caller.account.id, caller.region)) throw throttled()
      return run({ ...house, requestId, operation, caller, emptyPage: struck('empty-page') }, input)
    })
    return protocol.answer(operation, output, requestId)
  })
}
