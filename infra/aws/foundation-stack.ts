import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { Key } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { OBJECTS, TABLE } from '../functions.ts'
import { excuse } from './excuse.ts'

/** The resources that grants refer to. */
export interface Foundation {
  readonly table: Table
  /** Encrypts the table at rest; not the root key, so that its users need not be users of the root key. */
  readonly tableKey: Key
  /** Seals the domain keys. Losing it loses every key the service holds. */
  readonly rootKey: Key
  readonly bus: EventBus
  /** Texts too long to be answered. */
  readonly bucket: Bucket
  /** Address of every object in it: they get their names when they are made. */
  readonly objectArns: string
}

/** KMS waits this long, the longest it offers, between the order to delete a key and its end. */
const PENDING_DELETION = Duration.days(30)

/**
 * The resources that outlive any deployment: table, keys, bucket and bus. A separate stack, protected against deletion,
 * so that the compute resources can be replaced freely. Names are left to CloudFormation, so that a retained
 * resource never stands in the way of a new stack.
 */
export class FoundationStack extends Stack implements Foundation {
  readonly table: Table
  readonly tableKey: Key
  readonly rootKey: Key
  readonly bus: EventBus
  readonly bucket: Bucket
  readonly objectArns: string

  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, { ...props, terminationProtection: true })

    this.rootKey = new Key(this, 'RootKey', {
      alias: 'keymgr-root',
      description: 'keymgr: seals the domain keys',
      enableKeyRotation: true, // KMS keeps older generations for decryption
      pendingWindow: PENDING_DELETION,
      removalPolicy: RemovalPolicy.RETAIN,
    })
    this.tableKey = new Key(this, 'TableKey', {
      alias: 'keymgr-table',
      description: 'keymgr: encrypts the table at rest',
      enableKeyRotation: true,
      pendingWindow: PENDING_DELETION,
      removalPolicy: RemovalPolicy.RETAIN,
    })

    this.table = new Table(this, 'Table', {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.tableKey,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    })
    this.table.addGlobalSecondaryIndex({
      indexName: TABLE.dueIndex.name,
      partitionKey: { name: TABLE.dueIndex.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.dueIndex.sortKey, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY, // sweepers read the row itself, consistently, before they act
    })

    this.bucket = this.createBucket()
    this.objectArns = this.exportValue(this.bucket.arnForObjects(`${OBJECTS.prefix}*`), { name: 'keymgr-objects' })

    this.bus = new EventBus(this, 'Bus', { eventBusName: 'keymgr', description: 'keymgr: audit and life-cycle events' })
    this.bus.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE) // others hang their rules on it
  }

  /** Reached by functions and, for five minutes at a time, by addresses that they sign; never otherwise, never in the clear. */
  private createBucket(): Bucket {
    const bucket = new Bucket(this, 'Objects', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED, // reports hold no key material
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [
        {
          prefix: OBJECTS.prefix,
          expiration: Duration.days(OBJECTS.afterDays),
          abortIncompleteMultipartUploadAfter: Duration.days(OBJECTS.unfinishedDays),
        },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    })
    excuse(
      bucket,
      'AwsSolutions-S1',
      'The log of the function that signs the address names the caller of each report; a log of the bucket would not.',
    )
    return bucket
  }
}
