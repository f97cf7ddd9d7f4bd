/** Address behind a host name. Clouds know hosts by name only and call them on port 443. */
export interface HostAddress {
  readonly address: string
  readonly port: number
  /** PEM of the trusted issuer; default: the public authorities. */
  readonly ca?: string
}
export type Resolve = (host: string) => HostAddress | undefined

/** A simulated cloud: a server on loopback that speaks the wire protocol of the real one. */
export interface Simulator {
  /** `http://127.0.0.1:<port>`, the address of every service of the cloud */
  readonly endpoint: string
  readonly stop: () => Promise<void>
}

export interface PlatformIdentity {
  readonly account: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** Settings that a deployment passes to each simulator. */
export interface SimulatorSetting {
  readonly clock: { readonly now: () => Date }
  /** Stores the whole state, key material included; default: in memory only. */
  readonly file?: string
  readonly resolve: Resolve
  /** The account in which the deployment's functions run, and their credentials there. */
  readonly platform?: PlatformIdentity
  /** Limit of a call from the cloud to the deployment; default: the limit of the real cloud. */
  readonly proxyTimeoutMs?: number
}

export interface StartedSimulator<S extends Simulator> {
  readonly simulator: S
  /** Variables of functions, instead of `SimulatorRow.environment` and of `endpoint` in `SimulatorRow.variable`. */
  readonly environment?: Readonly<Record<string, string>>
  /**
   * Members of `endpoints.json`: address, accounts and valid credentials.
   * @param domain of the deployment, when it has a self-made certificate for the names below it
   */
  readonly describe: (domain: string | undefined) => object
}

/** Everything a deployment needs to know about one simulated cloud. */
export interface SimulatorRow<Member extends string, S extends Simulator> {
  /** Name in the API, such as `cloud-x`. `endpoints.json` spells it with underscores. */
  readonly cloud: string
  /** Member of `Deployment` that holds the simulator. */
  readonly member: Member
  /** File in the data directory. */
  readonly file: string
  /** Environment variable with the cloud's address: functions read it, and users set it to use another cloud. */
  readonly variable: string
  /** Other variables of functions; `StartedSimulator.environment` replaces them. */
  readonly environment?: Readonly<Record<string, string>>
  readonly start: (setting: SimulatorSetting) => Promise<StartedSimulator<S>>
}

/** Key of a cloud in `endpoints.json`. */
export const endpointsKey = ({ cloud }: { readonly cloud: string }): string => cloud.replaceAll('-', '_')

/** Cloud name at the start of a line of text. */
export const titleOf = ({ cloud }: { readonly cloud: string }): string => cloud.charAt(0).toUpperCase() + cloud.slice(1)
