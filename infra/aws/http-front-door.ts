import { CfnOutput, Duration, NestedStack, RemovalPolicy } from 'aws-cdk-lib'
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import {
  ApiMapping,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
  SecurityPolicy,
  CfnStage,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Bucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import type { SingleRoute } from '../../shared/endpoint/protocol.ts'
import { LOG_RETENTION, type ApiFunction } from './api-function.ts'
import { excuse } from './excuse.ts'
import type { MutualTlsDomain } from './trust-store.ts'

export interface HttpFrontDoorProps {
  /** A host name of the deployment and its certificate; the gateway's own address is then disabled. */
  readonly domain?: { readonly name: string; readonly certificateArn: string } | undefined
  /** A second host name with mutual TLS. It accepts only certificates of the trust store. */
  readonly mutualTlsDomain?: MutualTlsDomain | undefined
}

/**
 * Ours: calls per second to each route, well above the limit of one domain (limits are per domain). A data plane serves
 * every store and endpoint of the deployment: one store alone is promised 1,800 calls per second.
 */
const THROTTLE = { rateLimit: 1_000, burstLimit: 2_000 }
const DATA_PLANE_THROTTLE = { ThrottlingRateLimit: 8_000, ThrottlingBurstLimit: 4_000, DetailedMetricsEnabled: true }

/** The longest time-out of an HTTP API's integration, minus a second; no function behind it may run longer. */
const INTEGRATION_TIMEOUT = Duration.seconds(29)

/** Caller, route and status. Queries and headers are omitted, because they may contain secrets. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTime',
    ip: '$context.identity.sourceIp',
    method: '$context.httpMethod',
    path: '$context.path',
    route: '$context.routeKey',
    status: '$context.status',
    bytes: '$context.responseLength',
    latencyMs: '$context.responseLatency',
    integrationStatus: '$context.integrationStatus',
    integrationError: '$context.integrationErrorMessage',
  }),
)

/**
 * The HTTP API: one stage at the root, a pair of routes for every prefix of every function, and its single routes. The
 * API and its host names belong to the service's stack, since functions read their address. Routes and their stage have
 * a nested stack, because there are many and a stack is limited to 500 resources.
 */
export class HttpFrontDoor extends Construct {
  readonly stage: HttpStage
  /** `https://host` of the API, without `/api`. */
  readonly address: string
  private readonly api: HttpApi
  private readonly routes: NestedStack

  constructor(scope: Construct, id: string, { domain, mutualTlsDomain }: HttpFrontDoorProps) {
    super(scope, id)
    this.routes = new NestedStack(this, 'Routes', { description: 'keymgr: routes of the HTTP API' })
    this.api = new HttpApi(this, 'Api', {
      apiName: 'keymgr',
      description: 'keymgr: the interface of the key management service',
      createDefaultStage: false,
      disableExecuteApiEndpoint: domain !== undefined, // one address, so that tokens have one issuer
    })
    const domainName =
      domain &&
      new DomainName(this, 'Domain', {
        domainName: domain.name,
        certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
        securityPolicy: SecurityPolicy.TLS_1_2,
      })
    this.stage = new HttpStage(this.routes, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: THROTTLE,
      detailedMetricsEnabled: true, // by route, to show which function answers 5xx
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this.routes, 'AccessLog', {
            retention: LOG_RETENTION,
            removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
          }),
        ),
        format: ACCESS_LOG,
      },
      ...(domainName && { domainMapping: { domainName } }),
    })
    if (domainName !== undefined)
      new CfnOutput(this, 'DomainTarget', {
        value: domainName.regionalDomainName,
        description: 'what the DNS entry of the host name must point to',
      })
    if (mutualTlsDomain !== undefined) this.admitCertified(mutualTlsDomain)
    this.address = domain === undefined ? this.api.apiEndpoint : `https://${domain.name}`
  }

  /**
   * The same API under a host name with mutual TLS. The gateway verifies the chain of a certificate and passes it to
   * the function, which checks the name: whether a key store requires one is its own setting.
   */
  private admitCertified({ name, certificateArn, trustStore }: MutualTlsDomain): void {
    const { hostname: bucket, pathname } = new URL(trustStore)
    const domainName = new DomainName(this, 'MutualTlsDomain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'MutualTlsCertificate', certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
      mtls: { bucket: Bucket.fromBucketName(this, 'TrustStore', bucket), key: pathname.slice(1) },
    })
    new ApiMapping(this.routes, 'MutualTlsMapping', { api: this.api, domainName, stage: this.stage })
    new CfnOutput(this, 'MutualTlsDomainTarget', {
      value: domainName.regionalDomainName,
      description: 'what the DNS entry of the host name with mutual TLS must point to',
    })
  }

  /** Routes every prefix of the function, all paths below it, and its single routes to the function. */
  leadTo({ row, called }: ApiFunction): void {
    const integration = new HttpLambdaIntegration(row.name, called, { timeout: INTEGRATION_TIMEOUT })
    for (const key of [...row.prefixes.flatMap(routeKeysOf), ...(row.calls ?? []).map(callKeyOf)]) {
      const route = new HttpRoute(this.routes, `Route ${key.key}`, { httpApi: this.api, routeKey: key, integration })
      excuse(
        route,
        'AwsSolutions-APIG4',
        'The functions check the token themselves: tokens are of our own issue, and some routes are public by design.',
      )
      if (row.budgetMs !== undefined) this.throttle(route, key)
    }
  }

  /** A stage refuses settings of a route that does not exist yet. */
  private throttle(route: HttpRoute, { key }: HttpRouteKey): void {
    const stage = this.stage.node.defaultChild
    if (!(stage instanceof CfnStage)) throw new Error('The stage has no resource')
    stage.addPropertyOverride(`RouteSettings.${key.replaceAll('.', '\\.')}`, DATA_PLANE_THROTTLE)
    stage.node.addDependency(route)
  }
}

const routeKeysOf = (prefix: string): HttpRouteKey[] =>
  prefix === '$default'
    ? [HttpRouteKey.DEFAULT]
    : [HttpRouteKey.with(prefix, HttpMethod.ANY), HttpRouteKey.with(`${prefix}/{proxy+}`, HttpMethod.ANY)]

function callKeyOf(call: SingleRoute): HttpRouteKey {
  const [method, path = ''] = call.split(' ', 2)
  return HttpRouteKey.with(path, method === 'ANY' ? HttpMethod.ANY : HttpMethod.POST)
}
