import { startDeployment, type Deployment, type DeploymentOptions } from '../../infra/local/deployment.ts'
import { BUNDLES } from './build.ts'
import { cloudIssuer } from './cloud-issuer.ts'
import { recorder } from './recorder.ts'

export const ADMIN_PASSWORD = 'Correct-Horse-7'

/** Above every limit; tests of a limit set another value. */
const MANY = '100000'
const UNTHROTTLED = {
  KEYMGR_CALLS_PER_SECOND: MANY,
  KEYMGR_DKE_CALLS_PER_SECOND: MANY,
  KEYMGR_EKM_CALLS_PER_SECOND: MANY,
  KEYMGR_EXTERNAL_VAULT_CALLS_PER_SECOND: MANY,
  KEYMGR_KACLS_CALLS_PER_SECOND: MANY,
  KEYMGR_XKS_CALLS_PER_SECOND: MANY,
}

/** A whole deployment on loopback: real bundles, real table, real HTTP. */
export const startTestDeployment = (options: Partial<DeploymentOptions> = {}): Promise<Deployment> =>
  startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: ADMIN_PASSWORD,
    observe: recorder(),
    ...options,
    environment: { ...UNTHROTTLED, KEYMGR_CHECK_ANSWERS: 'true', ...options.environment },
  })

let shared: Promise<Deployment> | undefined

/** The deployment of all files in this process without their own. It ends with the process. */
export const sharedDeployment = (): Promise<Deployment> => (shared ??= startShared())

async function startShared(): Promise<Deployment> {
  const { environment } = await cloudIssuer()
  return startTestDeployment({ tlsPort: 'any', flowPauseMs: () => 1, environment })
}
